/** Fields of newer versions, as shipped and switched on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts';
import type { VerificationClient } from '../../../test/support/verification-client.ts';
import { startVerificationServer, type VerificationServer } from '../../../test/support/verification-server.ts';
import { changeSettings } from './settings.ts';

const appHash = 'FA+9qCX9VSu';
let server: VerificationServer;
let receiver: Receiver;
let client: VerificationClient;
let open: VerificationClient;
let last = 0;

async function serve(newerFields: boolean): Promise<void> {
  server = await startVerificationServer();
  await changeSettings(server.env, { newerFields });
  receiver = await startReceiver();
  client = await server.client();
  open = await server.client({ callbackUrl: receiver.url }, 'public');
}
async function stop(): Promise<void> {
  await receiver.close();
  await server.close();
}

const start = (data: Record<string, unknown>, by = client) =>
  by.start({ destination: `49151${String(++last).padStart(8, '0')}`, delivery_method: 'sms', ...data });
const callbackData = () => JSON.parse(receiver.received.at(-1)?.body ?? '').data;

describe('as shipped', () => {
  beforeAll(() => serve(false));
  afterAll(stop);

  it('are unknown keys as shipped', async () => {
    const { status, body } = await start({
      custom: 'x'.repeat(5000),
      sms: { autofill: 'nonsense', app_hash: appHash },
    });
    expect([status, body.data?.sms?.app_hash, body.data?.sms?.autofill]).toEqual([201, appHash, undefined]);
    await start({ custom: 'order 7' }, open);
    expect(Object.keys(callbackData())).toEqual(['id', 'destination', 'delivery_method']);
  });
});

describe('switched on', () => {
  beforeAll(() => serve(true));
  afterAll(stop);

  it('custom is handed to the approval callback and shown nowhere', async () => {
    const { body } = await start({ custom: 'order 7' }, open);
    expect(callbackData().custom).toBe('order 7');
    expect(JSON.stringify(body)).not.toContain('order 7');
  });

  it.each([
    ['', undefined],
    [7, '7'],
    [[], undefined],
    ['ü'.repeat(4096), 'ü'.repeat(4096)],
  ])('custom %j reaches it as text, or not at all', async (custom, expected) => {
    await start({ custom }, open);
    expect(callbackData().custom).toBe(expected);
  });

  it('custom over 4,096 characters is refused beside every other error', async () => {
    const refused = await start({ destination: '', custom: 'x'.repeat(4097) });
    expect(refused.body.errors).toEqual([
      { code: 'destination_blank', detail: "destination can't be blank" },
      { code: 'custom_too_long', detail: 'custom is too long' },
    ]);
  });

  it('autofill frames the message as app_hash does, and both forms are shown', async () => {
    const { body } = await start({ sms: { autofill: { type: 'app_hash', value: appHash } } });
    expect(body.data?.sms).toMatchObject({ app_hash: appHash, autofill: { type: 'app_hash', value: appHash } });
    await server.dispatch();
    const { text } = await server.env.db
      .selectFrom('sandbox_messages')
      .select('text')
      .where('verification_id', '=', body.data?.id ?? '')
      .executeTakeFirstOrThrow();
    expect(text).toMatch(new RegExp(`^<#> .* ${appHash.replace('+', '\\+')}$`));
  });

  it.each([{ type: 'none' }, { type: 'none', value: 'x' }, null])(
    'autofill %j asks for no framing',
    async (autofill) => {
      const { body } = await start({ sms: { autofill } });
      expect(body.data?.sms).not.toHaveProperty('app_hash');
      expect(body.data?.sms).not.toHaveProperty('autofill');
    },
  );

  it.each([
    [{ autofill: 'x' }],
    [{ autofill: [] }],
    [{ autofill: {} }],
    [{ autofill: { type: 'webotp' } }],
    [{ autofill: { type: 'app_hash' } }],
    [{ autofill: { type: 'app_hash', value: 'short' } }],
    [{ autofill: { type: 'app_hash', value: appHash }, app_hash: appHash }],
  ])('%j is refused', async (sms) => {
    expect((await start({ sms })).body.errors).toEqual([{ code: 'autofill_invalid', detail: 'autofill is invalid' }]);
  });
});
