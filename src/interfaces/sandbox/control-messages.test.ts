/** The inbox of messages, and the audio of calls. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { createTestEnvironment, runDueJobs, type TestEnvironment } from '../../../test/support/environment.ts';
import { startQuietWorker } from '../../../test/support/quiet-worker.ts';
import { statementsDuring } from '../../../test/support/statements.ts';
import { VerificationClient } from '../../../test/support/verification-client.ts';
import { listen } from '../../../test/support/verification-server.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { createApiKey } from '../../business/accounts/api-keys.ts';
import type { Worker } from '../../engines/jobs/worker.ts';
import { readClips } from '../../engines/speech/clips.ts';
import { decodeMuLaw } from '../../engines/speech/g711.ts';
import { speakCode } from '../../engines/speech/spoken-code.ts';
import { createHttpServer } from '../server/http-server.ts';
import { createApplication } from '../verification/application.writes.ts';
import { dispatchVerification } from '../verification/delivery/dispatch.ts';
import { verificationRoom } from '../verification/room.ts';
import { readInbox } from '../verification/sandbox-inbox.ts';
import { sandboxRoom } from './routes.ts';

let environment: TestEnvironment;
let url: string;
let close: () => Promise<void>;
let client: VerificationClient;
const key = 'a key of at least sixteen characters';
const foreignKey = 'another key of at least sixteen characters';

beforeAll(async () => {
  environment = await createTestEnvironment();
  const { env } = environment;
  const app = await createHttpServer(env, { rooms: [verificationRoom, sandboxRoom([], 'any')] });
  url = await listen(app);
  close = async () => {
    await app.close();
    await environment.close();
  };
  const account = await createAccount(env, { name: 'Acme', balance: '100' });
  await createApiKey(env, account.id, { name: 'ci', key });
  const other = await createAccount(env, { name: 'Other' });
  await createApiKey(env, other.id, { name: 'ci', key: foreignKey });
  const application = await createApplication(env, account.id, { name: 'web' });
  client = new VerificationClient(url, { key: application.key, secret: application.secret.reveal() });
});
afterAll(() => close());

const ask = async (path: string, apiKey = key) => {
  const response = await checkedFetch(`${url}/sandbox/v1${path}`, { headers: { 'api-key': apiKey } });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

describe('in a process with a worker', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await startQuietWorker(environment.env, dispatchVerification);
  });
  afterAll(() => worker.stop());
  const accountOfKey = async () =>
    (await environment.env.db.selectFrom('accounts').select('id').where('name', '=', 'Acme').executeTakeFirstOrThrow())
      .id;
  const startAndRead = async (destination: string, more: object = {}) => {
    const { body } = await client.start({ destination, delivery_method: 'sms', ...more });
    const { body: found } = await ask(`/messages?destination=${destination}&wait=20`);
    expect(found.messages).toMatchObject([{ verification_id: body.data?.id, destination }]);
    return { id: body.data?.id ?? '', code: found.messages[0].code };
  };

  it('the message of a start comes by itself, and its code can be reported', async () => {
    const { id, code } = await startAndRead('4915187650001');
    expect((await client.report(id, code)).body.data?.status).toBe('verified');
    expect((await startAndRead('19995550110')).code).toMatch(/^1234/);
  });

  it('those that arrive together each get their own', async () => {
    const numbers = Array.from({ length: 12 }, (_, n) => `49151876600${10 + n}`);
    const started = await Promise.all(
      numbers.map((destination) => client.start({ destination, delivery_method: 'sms' })),
    );
    const found = await Promise.all(numbers.map((destination) => ask(`/messages?destination=${destination}&wait=20`)));
    const ids = started.map(({ body }) => body.data?.id ?? '');
    expect(found.map(({ body }) => body.messages[0].verification_id)).toEqual(ids);
    const codes = found.map(({ body }): string => body.messages[0].code);
    // The first with a wrong code: only that one is refused.
    codes[0] = `${codes[0]?.slice(0, -1)}${(Number(codes[0]?.at(-1)) + 1) % 10}`;
    const reported = await Promise.all(codes.map((code, n) => client.report(ids[n] ?? '', code)));
    expect(reported.map(({ status }) => status)).toEqual([422, ...Array(11).fill(200)]);
  });

  it('reads of one moment are one statement', async () => {
    const { env, accountId } = { env: environment.env, accountId: await accountOfKey() };
    const sent = await statementsDuring(env.pool, async () => {
      const inboxes = await Promise.all(
        ['4915187660010', '4915187660011', '0'].map((each) => readInbox(env, accountId, each)),
      );
      expect(inboxes.map((messages) => messages.length)).toEqual([1, 1, 0]);
    });
    expect(sent.filter(({ text }) => text.includes('sandbox_messages'))).toHaveLength(1);
  });

  it('of two starts for one number that arrive together one is in the cooldown, of two reports one verifies', async () => {
    const both = await Promise.all(
      [0, 1].map(() => client.start({ destination: '4915187660099', delivery_method: 'sms' })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 429]);
    const id = both.find(({ status }) => status === 201)?.body.data?.id ?? '';
    const { body } = await ask('/messages?destination=4915187660099&wait=20');
    const reported = await Promise.all([0, 1].map(() => client.report(id, body.messages[0].code)));
    expect(reported.map(({ body: { data } }) => data?.status)).toEqual(['verified', 'verified']);
  });

  it('so does that of a call, and what becomes of a number whose code cannot be sent', async () => {
    expect((await startAndRead('4915187650002', { delivery_method: 'callout' })).code).toMatch(/^\d+$/);
    const { body } = await client.start({ destination: '19995550120', delivery_method: 'sms' });
    await expect
      .poll(async () => (await client.status(body.data?.id ?? '')).body.data?.error_code)
      .toBe('dispatch_failed');
  });
});

describe('the inbox', () => {
  it('is filtered by a number however it is typed', async () => {
    const { body } = await client.start({ destination: '00 49 (0)151 87654321', delivery_method: 'sms' });
    await runDueJobs(environment.env);
    for (const typed of ['4915187654321', '%2B4915187654321', '0049015187654321']) {
      const { body: found } = await ask(`/messages?destination=${typed}`);
      expect(found.messages).toMatchObject([{ verification_id: body.data?.id, destination: '4915187654321' }]);
    }
  });

  it('shows what would have been sent, newest first, to its account only', async () => {
    const first = (await client.start({ destination: '+4915112345678', delivery_method: 'sms' })).body.data?.id;
    await runDueJobs(environment.env);
    environment.clock.advance(30);
    const second = (await client.start({ destination: '+4915112345678', delivery_method: 'callout' })).body.data?.id;
    await runDueJobs(environment.env);
    const { status, body } = await ask('/messages?destination=4915112345678');
    expect(status).toBe(200);
    expect(body.messages.map((message: { verification_id: string }) => message.verification_id)).toEqual([
      second,
      first,
    ]);
    const [call, text] = body.messages;
    expect(text).toEqual({
      id: expect.any(String),
      verification_id: first,
      destination: '4915112345678',
      delivery_method: 'sms',
      language: 'en-US',
      text: `Your verification code is ${text.code}. Do not share it with anyone.`,
      code: expect.stringMatching(/^\d{6}$/),
      created_at: '2026-06-15T12:00:00.000Z',
    });
    const digits = [...call.code].join(' ');
    expect(call.text).toBe(`Your verification code is ${digits}. Once again, your code is ${digits}.`);
    expect((await ask('/messages', foreignKey)).body).toEqual({ messages: [] });
    expect((await ask('/messages?destination=%2B49 (151) 1234-5678')).body.messages).toHaveLength(2);
  });

  it('holds the request until a message arrives', async () => {
    const waiting = ask('/messages?destination=4915100000001&wait=20');
    const { body } = await client.start({ destination: '4915100000001', delivery_method: 'sms' });
    await runDueJobs(environment.env);
    expect((await waiting).body.messages).toMatchObject([{ verification_id: body.data?.id }]);
  });

  it('holds it while a newer message is on its way, and does not give out the older one', async () => {
    const destination = '4915100000077';
    await client.start({ destination, delivery_method: 'sms' });
    await runDueJobs(environment.env);
    environment.clock.advance(30);
    const { body } = await client.start({ destination, delivery_method: 'sms' });
    const waiting = ask(`/messages?destination=${destination}&wait=20`);
    expect((await ask(`/messages?destination=${destination}`)).body.messages).toHaveLength(1);
    await runDueJobs(environment.env);
    expect((await waiting).body.messages[0].verification_id).toBe(body.data?.id);
  });

  it('holds it no longer than asked', async () => {
    expect((await ask('/messages?destination=4915100000002&wait=0.05')).body).toEqual({ messages: [] });
    expect((await ask('/messages?wait=soon')).status).toBe(422);
    expect((await ask('/messages', 'no key of anybody at all')).status).toBe(401);
  });
});

describe('the audio of a call', () => {
  let called = 0;
  const call = async (language: string) => {
    called += 1;
    const destination = `4915120000${String(called).padStart(3, '0')}`;
    await client.start({ destination, delivery_method: 'callout', callout: { languages: [language] } });
    await runDueJobs(environment.env);
    return (await ask(`/messages?destination=${destination}`)).body.messages[0];
  };
  const hear = (address: string) => checkedFetch(address, { headers: { 'api-key': key } });
  const statusOf = async (id: string, apiKey = key) => (await ask(`/messages/${id}/audio`, apiKey)).status;

  it.each([
    ['en-US', 'en-US'],
    ['de-DE', 'de-DE'],
    ['ja-JP', 'ja-JP'],
    ['ar-EG', 'ar-EG'],
    ['pt-BR', 'pt-BR'],
    ['tl-PH', 'en-US'],
  ])('of %s is the code in the voice of %s', async (language, voice) => {
    const message = await call(language);
    expect(message).toMatchObject({ language, audio_url: `${url}/sandbox/v1/messages/${message.id}/audio` });
    const response = await hear(message.audio_url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const heard = samplesOf(Buffer.from(await response.arrayBuffer()));
    const clips = await readClips(voice);
    if (clips === null) throw new Error(`no clips of ${voice}`);
    const spoken = (code: string) => decodeMuLaw(speakCode(clips, code).audio);
    expect(correlation(heard, spoken(message.code))).toBeGreaterThan(0.95);
    const otherCode = message.code.replace(/./g, (digit: string) => String((Number(digit) + 1) % 10));
    expect(correlation(heard, spoken(otherCode))).toBeLessThan(0.9);
  });

  it('is there for calls of the account only', async () => {
    const { id } = await call('en-US');
    await client.start({ destination: '4915130000001', delivery_method: 'sms' });
    await runDueJobs(environment.env);
    const [text] = (await ask('/messages?destination=4915130000001')).body.messages;
    expect(text).not.toHaveProperty('audio_url');
    expect(await statusOf(text.id)).toBe(404);
    expect(await statusOf(id, foreignKey)).toBe(404);
    expect(await statusOf(id, 'no key of anybody at all')).toBe(401);
  });

  it.each(['0', '-1', '1e1', '01', '999999999999', '9'.repeat(40), 'abc', '%00'])('is not there for %s', async (id) => {
    expect(await statusOf(id)).toBe(404);
  });
});

/** The samples of a WAV of 16-bit mono. */
function samplesOf(wav: Buffer): Int16Array {
  expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
  expect([wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([
    1, 1, 8000, 16,
  ]);
  expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
  return Int16Array.from({ length: (wav.length - 44) / 2 }, (_, at) => wav.readInt16LE(44 + 2 * at));
}

/** 1 for the same sound, about 0 for unrelated ones. */
function correlation(left: Int16Array, right: Int16Array): number {
  const product = (a: Int16Array, b: Int16Array) => a.reduce((sum, sample, at) => sum + sample * (b[at] ?? 0), 0);
  return product(left, right) / Math.sqrt(product(left, left) * product(right, right));
}

it('lists the fixed test numbers of every outcome', async () => {
  const { body } = await ask('/scenarios');
  const ofNumbers: { scenario: string; description: string; destinations: string[] }[] = body.scenarios.filter(
    (each: object) => 'destinations' in each,
  );
  expect(ofNumbers.map(({ scenario }) => scenario)).toEqual([
    'known_code',
    'dispatch_failed',
    'unsupported',
    'stale',
    'slow_dispatch',
  ]);
  for (const { description, destinations } of ofNumbers) {
    expect(description).not.toBe('');
    expect(destinations).toHaveLength(20);
  }
});
