/** Reports by id and by number. */
import { beforeAll, describe, expect, it } from 'vitest';
import { statementsDuring } from '../../../test/support/statements.ts';
import { useOpened } from '../../../test/support/use.ts';
import { type Answer, VerificationClient } from '../../../test/support/verification-client.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';
import { createApplication, deleteApplication } from './application.writes.ts';

const server = useOpened(() => startVerificationServer());
let client: VerificationClient;
let last = 0;
const fresh = () => `4915200${String(++last).padStart(6, '0')}`;

beforeAll(async () => {
  client = await server.client();
});

const errorOf = (answer: Answer) => [answer.status, answer.body.errors?.map(({ code }) => code)];
const wrongFor = (code: string) => (code === '000000' ? '111111' : '000000');

async function started(destination = fresh(), method = 'sms') {
  const id = (await client.start({ destination, delivery_method: method })).body.data?.id ?? '';
  await server.dispatch();
  return { id, destination, code: await server.codeOf(id) };
}

const rowOf = (id: string) =>
  server.env.db.selectFrom('verifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('a report', () => {
  it('with the right code is 200 verified, and again, idempotently', async () => {
    const { id, code } = await started();
    for (const verb of ['PATCH', 'PUT']) {
      const answer = await client.report(id, code, 'sms', verb);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({ id, status: 'verified', error_code: null, error_detail: null });
    }
  });

  it('with the right code takes two statements', async () => {
    const { id, code } = await started();
    const sent = await statementsDuring(server.env.pool, async () => {
      expect((await client.report(id, code)).body.data?.status).toBe('verified');
    });
    // Others are written a moment after the requests before: logs and counts.
    expect(sent.filter(({ text }) => text.includes('verifications'))).toHaveLength(2);
  });

  it('with the right code and another delivery method than at the start is refused and verifies nothing', async () => {
    const { id, code } = await started();
    expect(errorOf(await client.report(id, code, 'callout'))).toEqual([422, ['delivery_method_invalid']]);
    expect(await rowOf(id)).toMatchObject({ status: 'pending', wrong_reports: 0 });
  });

  it('finds the record by its id in capitals too', async () => {
    const { id, code } = await started();
    expect((await client.report(id.toUpperCase(), code)).body.data).toMatchObject({ id, status: 'verified' });
  });

  it('with a wrong code on a verified record is 422 already_verified', async () => {
    const { id, code } = await started();
    await client.report(id, code);
    const answer = await client.report(id, wrongFor(code));
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      errors: [{ code: 'already_verified', detail: 'verification is already verified; provided value is invalid' }],
    });
    expect((await client.status(id)).body.data?.status).toBe('verified');
  });

  it('three times wrong is 422 each time and failed with the third; the fourth is 200 with the failed record', async () => {
    const { id, code } = await started();
    for (const statusAfter of ['pending', 'pending', 'failed']) {
      expect(errorOf(await client.report(id, wrongFor(code)))).toEqual([422, ['code_invalid']]);
      expect((await client.status(id)).body.data?.status).toBe(statusAfter);
    }
    for (const given of [code, wrongFor(code)]) {
      const answer = await client.report(id, given);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({
        status: 'failed',
        error_code: 'too_many_attempts',
        error_detail: 'too many attempts',
      });
    }
  });

  it('with the right code at the third attempt verifies', async () => {
    const { id, code } = await started();
    await client.report(id, wrongFor(code));
    await client.report(id, wrongFor(code));
    expect((await client.report(id, code)).body.data?.status).toBe('verified');
  });

  it('before the dispatch is 422 not_ready_to_report and uses no attempt', async () => {
    const id = (await client.start({ destination: fresh(), delivery_method: 'sms' })).body.data?.id ?? '';
    expect(errorOf(await client.report(id, '123456'))).toEqual([422, ['not_ready_to_report']]);
    expect((await rowOf(id)).wrong_reports).toBe(0);
  });

  it('past its time is 200 expired and uses no attempt', async () => {
    const { id, code } = await started();
    server.clock.advance(299);
    expect((await client.status(id)).body.data?.status).toBe('pending');
    server.clock.advance(1);
    for (const given of [code, wrongFor(code)]) {
      const answer = await client.report(id, given);
      expect([answer.status, answer.body.data?.status, answer.body.data?.error_code]).toEqual([
        200,
        'expired',
        'expired',
      ]);
    }
    expect((await rowOf(id)).wrong_reports).toBe(0);
  });

  it.each([
    ['{}', 400, ['parameter_missing']],
    ['{"data":{}}', 422, ['delivery_method_blank', 'code_blank']],
    ['{"data":{"delivery_method":"fax","code":"1"}}', 422, ['delivery_method_inclusion']],
    ['{"data":{"delivery_method":"callout","code":"1"}}', 422, ['delivery_method_invalid']],
    ['{"data":{"delivery_method":"sms","code":""}}', 422, ['code_blank']],
  ])('of %s is %i and uses no attempt', async (body, status, codes) => {
    const { id } = await started();
    expect(errorOf(await client.send('PATCH', `/api/v1/verifications/${id}`, body))).toEqual([status, codes]);
    expect((await rowOf(id)).wrong_reports).toBe(0);
  });

  it('takes leading zeros as they are', async () => {
    const { id, code } = await started();
    expect(errorOf(await client.report(id, `0${code}`))).toEqual([422, ['code_invalid']]);
  });
});

describe('by number', () => {
  it('reaches the newest record, whatever its status', async () => {
    const { id, destination, code } = await started();
    const path = `/api/v1/verifications/by_number/%2B${destination.slice(0, 2)}%20${destination.slice(2)}`;
    const report = { data: { delivery_method: 'sms', code } };
    const answer = await client.send('PUT', path, report);
    expect(answer.body.data).toMatchObject({ id, status: 'verified' });
    expect((await client.send('GET', `/api/v1/verifications/by_number/${destination}`)).body.data?.id).toBe(id);
    server.clock.advance(30);
    const newer = await started(destination);
    expect((await client.send('PATCH', path, report)).status).toBe(newer.code === code ? 200 : 422);
    expect((await client.send('GET', path)).body.data?.id).toBe(newer.id);
  });

  it('reaches it however the number is typed, at the start and in the path', async () => {
    const destination = fresh();
    const trunkZero = `${destination.slice(0, 2)}0${destination.slice(2)}`;
    const { body } = await client.start({ destination: `00${trunkZero}`, delivery_method: 'sms' });
    expect(body.data?.destination).toBe(destination);
    for (const number of [destination, `00${destination}`, trunkZero, `%2B${trunkZero}`]) {
      const answer = await client.send('GET', `/api/v1/verifications/by_number/${number}`);
      expect(answer.body.data?.id).toBe(body.data?.id);
      const again = await client.start({ destination: decodeURIComponent(number), delivery_method: 'sms' });
      expect(errorOf(again)).toEqual([429, ['destination_in_cooldown']]);
    }
  });

  it.each(['4999999999999', 'abc', '%2B', '%FF', '371.123'])('of %s, never started, is 404', async (number) => {
    const path = `/api/v1/verifications/by_number/${number}`;
    for (const answer of [await client.send('GET', path), await client.send('PATCH', path, '{"data":')]) {
      expect(errorOf(answer)).toEqual([404, ['not_found']]);
    }
  });
});

describe('a record', () => {
  it.each(['0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d', 'not-a-uuid', 'not%20a%2Fuuid', 'by_number'])(
    '%s that nobody started is 404',
    async (id) => {
      expect(errorOf(await client.status(id))).toEqual([404, ['not_found']]);
      expect(errorOf(await client.report(id, '1'))).toEqual([404, ['not_found']]);
    },
  );

  it('of another application is 404', async () => {
    const { id, code, destination } = await started();
    const other = await server.client();
    expect((await other.status(id)).status).toBe(404);
    expect((await other.report(id, code)).status).toBe(404);
    expect((await other.send('GET', `/api/v1/verifications/by_number/${destination}`)).status).toBe(404);
    expect((await client.status(id)).body.data?.status).toBe('pending');
  });

  it('past its retention is 404, and removed with its slot and message', async () => {
    const { id, destination, code } = await started();
    await client.report(id, code);
    server.clock.advance(24 * 3600 - 1);
    expect((await client.status(id)).status).toBe(200);
    server.clock.advance(24 * 3600 + 1);
    expect((await client.status(id)).status).toBe(404);
    expect((await client.send('GET', `/api/v1/verifications/by_number/${destination}`)).status).toBe(404);
    server.clock.advance(2 * 3600);
    await server.dispatch();
    for (const [table, column] of [
      ['verifications', 'id'],
      ['sandbox_messages', 'verification_id'],
      ['verification_slots', 'verification_id'],
    ] as const) {
      const { rows } = await server.env.pool.query(`select 1 from ${table} where ${column} = $1`, [id]);
      expect(rows).toEqual([]);
    }
  });

  it('is what its number leads to again once a newer one, which was denied, is past its retention', async () => {
    const application = await createApplication(server.env, server.accountId, { name: 'both', codeTimeout: 600 });
    const credentials = { key: application.key, secret: application.secret.reveal() };
    const destination = fresh();
    const byNumber = async () => {
      const path = `/api/v1/verifications/by_number/${destination}`;
      return (await new VerificationClient(server.url, credentials).send('GET', path)).body.data?.status;
    };
    await new VerificationClient(server.url, credentials).start({ destination, delivery_method: 'sms' });
    await server.dispatch();
    server.clock.advance(31);
    await new VerificationClient(server.url, credentials, 'public').start({ destination, delivery_method: 'sms' });
    server.clock.advance(48 * 3600 - 1);
    expect(await byNumber()).toBe('denied');
    server.clock.advance(1);
    expect(await byNumber()).toBe('expired');
    server.clock.advance(600);
    expect(await byNumber()).toBeUndefined();
  });

  it('that was denied is removed too, also where no other starts are', async () => {
    const own = await startVerificationServer();
    try {
      const open = await own.client({}, 'public');
      await open.start({ destination: fresh(), delivery_method: 'sms' });
      own.clock.advance(50 * 3600);
      await own.dispatch();
      expect((await own.env.pool.query('select 1 from verifications')).rows).toEqual([]);
    } finally {
      await own.close();
    }
  });

  it('in flight fails when its application is deleted, which then authenticates nobody', async () => {
    const own = await server.client({ name: 'short-lived' });
    const id = (await own.start({ destination: fresh(), delivery_method: 'sms' })).body.data?.id ?? '';
    const { application_id } = await rowOf(id);
    await deleteApplication(server.env, application_id);
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error_code: 'application_deleted' });
    await server.dispatch();
    expect(
      await server.env.db.selectFrom('sandbox_messages').selectAll().where('verification_id', '=', id).execute(),
    ).toEqual([]);
    await expect.poll(async () => (await own.status(id)).status).toBe(401);
  });
});
