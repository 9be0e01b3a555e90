/** Starts and reports at the same time, through several processes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/verification-client.ts';
import { openVerificationWorld, type Running, type World } from './world.ts';

/**
 * Three processes of one production, all asked at once. Who is told that a process is too busy asks again, as a client
 * does.
 */
let world: World;
let processes: Running[];
let last = 0;
const fresh = () => `49151${String(++last).padStart(8, '0')}`;

beforeAll(async () => {
  world = await openVerificationWorld('http with idempotency keys');
  processes = await Promise.all([world.start(), world.start(), world.start()]);
});
afterAll(() => world.close());

const everywhere = (times: number, ask: (running: Running) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: times }, (_, index) => processes[index % processes.length]).flatMap((running) =>
      running ? [untilServed(() => ask(running))] : [],
    ),
  );

async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

const tally = (answers: Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const key = `${status} ${body.errors?.[0]?.code ?? body.data?.status}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

async function started() {
  const destination = fresh();
  const response = await processes[0]?.client.start({ destination, delivery_method: 'sms' });
  const id = response?.body.data?.id ?? '';
  await world.settled(id);
  return { id, destination, code: (await world.messages(destination))[0]?.code ?? '' };
}

describe('three processes', () => {
  it('accept one of many parallel starts for a number, and send one code', async () => {
    for (let round = 0; round < 5; round++) {
      const destination = fresh();
      const answers = await everywhere(30, ({ client }) => client.start({ destination, delivery_method: 'sms' }));
      expect(tally(answers)).toEqual({ '201 pending': 1, '429 destination_in_cooldown': 29 });
      for (const response of answers.filter(({ status }) => status === 429)) {
        expect(response.headers.get('retry-after')).toMatch(/^([1-9]|[12]\d|30)$/);
      }
      await world.settled(answers.find(({ status }) => status === 201)?.body.data?.id ?? '');
      expect(await world.messages(destination)).toHaveLength(1);
    }
  });

  it('count exactly three of many parallel wrong reports', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, code } = await started();
      const wrong = code === '000000' ? '111111' : '000000';
      const answers = await everywhere(30, ({ client }) => client.report(id, wrong));
      expect(tally(answers)).toEqual({ '422 code_invalid': 3, '200 failed': 27 });
      const [row] = await world.query('select status, error_code, wrong_reports from verifications where id = $1', [
        id,
      ]);
      expect(row).toEqual({ status: 'failed', error_code: 'too_many_attempts', wrong_reports: 3 });
      expect(await world.fees(id)).toEqual([]);
    }
  });

  it('charge one fee for many parallel right reports', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, code } = await started();
      const answers = await everywhere(30, ({ client }) => client.report(id, code));
      expect(tally(answers)).toEqual({ '200 verified': 30 });
      expect(await world.fees(id)).toEqual(['-0.0500']);
    }
  });

  it('end a race of right and wrong reports either verified with a fee or failed without', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, code } = await started();
      const wrong = code === '000000' ? '111111' : '000000';
      let turn = 0;
      await everywhere(12, ({ client }) => client.report(id, turn++ % 4 === 3 ? code : wrong));
      const [row] = await world.query('select status from verifications where id = $1', [id]);
      expect(await world.fees(id)).toEqual(row?.status === 'verified' ? ['-0.0500'] : []);
      expect(['verified', 'failed']).toContain(row?.status);
    }
  });
});
