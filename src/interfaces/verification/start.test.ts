/** Starts: what is stored, charged and refused. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import type { VerificationClient } from '../../../test/support/verification-client.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';

const server = useOpened(() => startVerificationServer());
let client: VerificationClient;
let last = 0;
/** A number nobody has used yet. */
const fresh = () => `4915100${String(++last).padStart(6, '0')}`;

beforeEach(async () => {
  client = await server.client();
});

const codes = (answer: { body: { errors?: { code: string }[] } }) => answer.body.errors?.map(({ code }) => code);

describe('a start', () => {
  it('answers 201 with the verification object, member for member', async () => {
    const destination = fresh();
    const answer = await client.start({ destination: `+${destination}`, delivery_method: 'sms' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        destination,
        delivery_method: 'sms',
        fee: '0.0',
        status: 'pending',
        error_code: null,
        error_detail: null,
        expires_at: new Date(server.clock.now().getTime() + 300_000).toISOString(),
        sms: {
          template: 'Your verification code is {{CODE}}. Do not share it with anyone.',
          language: 'en-US',
          interception_timeout: 300,
          code_length: 6,
        },
      },
    });
  });

  it('by call has a callout block and no sms block', async () => {
    const { body } = await client.start({
      destination: fresh(),
      delivery_method: 'callout',
      callout: { languages: ['ru-RU', 'de-de'], app_hash: 'x' },
      sms: 'broken',
    });
    expect(body.data?.callout).toEqual({ language: 'de-DE', code_length: 6 });
    expect(body.data).not.toHaveProperty('sms');
  });

  it('echoes a stored application hash and frames the message with it', async () => {
    const { body } = await client.start({
      destination: fresh(),
      delivery_method: 'sms',
      sms: { app_hash: 'FA+9qCX9VSu', languages: ['pt-br'] },
    });
    expect(body.data?.sms).toMatchObject({ app_hash: 'FA+9qCX9VSu', language: 'pt-BR' });
    await server.dispatch();
    const message = await server.env.db
      .selectFrom('sandbox_messages')
      .selectAll()
      .where('verification_id', '=', body.data?.id ?? '')
      .executeTakeFirstOrThrow();
    expect(message.text).toBe(`<#> Código de verificação: ${message.code}. Não o compartilhe. FA+9qCX9VSu`);
  });

  it('takes the settings of its application with it', async () => {
    const own = await server.client({ codeLength: 8, codeTimeout: 60 });
    const { body } = await own.start({ destination: fresh(), delivery_method: 'sms', sms: {} });
    expect(body.data?.sms).toMatchObject({ code_length: 8, interception_timeout: 60 });
    expect(body.data?.expires_at).toBe(new Date(server.clock.now().getTime() + 60_000).toISOString());
    await server.dispatch();
    expect(await server.codeOf(body.data?.id ?? '')).toMatch(/^\d{8}$/);
  });

  it('reports all failing fields at once, in order', async () => {
    const answer = await client.start({});
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      errors: [
        { code: 'destination_blank', detail: "destination can't be blank" },
        { code: 'delivery_method_blank', detail: "delivery method can't be blank" },
      ],
    });
  });

  it.each([undefined, '', '[]', '"x"', '{"data":[]}', '{"data":null}', '{"data":{'])(
    'with body %j is 400',
    async (body) => {
      const answer = await client.send('POST', '/api/v1/verifications', body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        errors: [{ code: 'parameter_missing', detail: 'request body must contain a valid data object' }],
      });
    },
  );

  it('with a body beyond 64 KiB is 400', async () => {
    const answer = await client.start({ destination: fresh(), delivery_method: 'sms', padding: 'x'.repeat(70_000) });
    expect([answer.status, codes(answer)]).toEqual([400, ['parameter_missing']]);
  });
});

describe('the cooldown', () => {
  const again = (destination: string, method = 'sms') => client.start({ destination, delivery_method: method });

  it('refuses a second start within 30 seconds, with the seconds left, and changes nothing', async () => {
    const destination = fresh();
    const first = await again(destination);
    server.clock.advance(0.5);
    const second = await again(`+${destination}`, 'callout');
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '30']);
    expect(second.body).toEqual({
      errors: [
        {
          code: 'destination_in_cooldown',
          detail: 'verification for this destination was requested too recently',
        },
      ],
    });
    server.clock.advance(29.4);
    expect((await again(destination)).headers.get('retry-after')).toBe('1');
    expect((await client.status(first.body.data?.id ?? '')).body.data?.status).toBe('pending');
    server.clock.advance(0.1);
    expect((await again(destination)).status).toBe(201);
  });

  it('is per application', async () => {
    const destination = fresh();
    const other = await server.client();
    expect((await again(destination)).status).toBe(201);
    expect((await other.start({ destination, delivery_method: 'sms' })).status).toBe(201);
  });

  it('ends with the old record superseded, readable by id, and by number the new one', async () => {
    const destination = fresh();
    const first = (await again(destination)).body.data?.id ?? '';
    server.clock.advance(30);
    const second = (await again(destination)).body.data?.id ?? '';
    expect((await client.status(first)).body.data).toMatchObject({
      status: 'failed',
      error_code: 'superseded',
      error_detail: 'superseded',
    });
    expect((await client.send('GET', `/api/v1/verifications/by_number/%2B${destination}`)).body.data?.id).toBe(second);
  });

  it('leaves an expired record expired', async () => {
    const destination = fresh();
    const first = (await again(destination)).body.data?.id ?? '';
    await server.dispatch();
    server.clock.advance(301);
    await again(destination);
    expect((await client.status(first)).body.data).toMatchObject({
      status: 'expired',
      error_code: 'expired',
      error_detail: 'expired',
    });
  });
});

it('a start that nobody approves takes one statement', async () => {
  const statementsOfStart = async () => {
    let statements = 0;
    const count = () => {
      statements += 1;
    };
    server.env.pool.on('acquire', count);
    expect((await client.start({ destination: fresh(), delivery_method: 'sms' })).status).toBe(201);
    server.env.pool.off('acquire', count);
    return statements;
  };
  await statementsOfStart();
  // Logs and counts of the requests before are written a moment later, and may fall into one of these.
  const counts = [await statementsOfStart(), await statementsOfStart(), await statementsOfStart()];
  expect(Math.min(...counts)).toBe(1);
});

describe('the balance', () => {
  it('must not be empty: 402, before the cooldown is looked at', async () => {
    const poor = await startVerificationServer({ balance: '0' });
    try {
      const lend = (credit: string) => poor.env.db.updateTable('accounts').set({ credit }).execute();
      const body = { destination: fresh(), delivery_method: 'sms' };
      // In the mode that asks nobody, and in the one that reads the terms before it asks.
      for (const application of [await poor.client(), await poor.client({}, 'public')]) {
        await lend('0');
        const answer = await application.start(body);
        expect(answer.status).toBe(402);
        expect(answer.body).toEqual({ errors: [{ code: 'balance_insufficient', detail: 'insufficient balance' }] });
      }
      const client = await poor.client();
      await lend('5');
      expect((await client.start(body)).status).toBe(201);
      await lend('0');
      expect((await client.start(body)).status).toBe(402);
      await lend('5');
      expect((await client.start(body)).status).toBe(429);
    } finally {
      await poor.close();
    }
  });
});

describe('a fixed test number', () => {
  const started = async (destination: string) => {
    const { body } = await client.start({ destination, delivery_method: 'sms' });
    await server.dispatch();
    return body.data?.id ?? '';
  };

  it('has a known code', async () => {
    expect((await client.report(await started('447700900911'), '123456')).body.data?.status).toBe('verified');
  });

  it('fails its dispatch', async () => {
    expect((await client.status(await started('19995550120'))).body.data).toMatchObject({
      status: 'failed',
      error_code: 'dispatch_failed',
      error_detail: 'failed to deliver',
    });
  });

  it('is not supported', async () => {
    const answer = await client.start({ destination: '447700900930', delivery_method: 'callout' });
    expect([answer.status, codes(answer)]).toEqual([422, ['destination_not_supported_for_channel']]);
  });

  it('is never dispatched, and stale after two minutes', async () => {
    const id = await started('19995550140');
    expect(codes(await client.report(id, '123456'))).toEqual(['not_ready_to_report']);
    server.clock.advance(120);
    expect((await client.status(id)).body.data).toMatchObject({
      status: 'failed',
      error_code: 'stale_dispatch',
      error_detail: 'number unreachable',
    });
    expect((await client.report(id, '123456')).status).toBe(200);
  });

  it('is dispatched slowly', async () => {
    const id = await started('447700900950');
    expect(codes(await client.report(id, '123456'))).toEqual(['not_ready_to_report']);
    server.clock.advance(10);
    await server.dispatch();
    expect((await client.report(id, await server.codeOf(id))).body.data?.status).toBe('verified');
  });
});
