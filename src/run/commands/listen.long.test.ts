/** `listen`: what is forwarded is the real request byte for byte, signed with the secret that was printed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { execute } from '../../../test/support/commands.ts';
import { runDueJobs } from '../../../test/support/environment.ts';
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts';
import { didItem } from '../../../test/support/requests.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';
import { signCallback, signWebhook } from '../../business/callbacks/callback-request.ts';
import { delivererOf } from '../../business/voice/events/deliverer.ts';
import { writeStream } from '../../business/voice/events/stream-settings.ts';
import { ensureMonths } from '../../business/voice/months.ts';

const shop = useOpened(() => openShop());
const at = () => ['--url', shop.url, '--key', shop.key];
let real: Receiver;
let local: Receiver;
beforeEach(async () => {
  [real, local] = [await startReceiver(), await startReceiver()];
});
afterEach(() => Promise.all([real.close(), local.close()]));

/** Resolves when its stream is open. */
async function listen(count: number, ...options: string[]): Promise<Promise<string[]>[]> {
  const heard = Promise.withResolvers<void>();
  const stop = shop.env.changes.on('listening', () => heard.resolve());
  const listening = execute(
    'listen',
    ...at(),
    '--forward',
    `${local.url}/here?own=1`,
    '--count',
    String(count),
    ...options,
  );
  await Promise.race([heard.promise, listening]);
  stop();
  return [listening];
}

const order = async (method: 'get' | 'post') => {
  await shop.stock('london', 1);
  const more = { callback_url: `${real.url}/hook?own=1`, callback_method: method };
  const { resource } = await shop.postOrder([didItem({ sku_id: shop.skus.london })], more);
  shop.clock.advance(3);
  await runDueJobs(shop.env);
  return resource.id;
};

test.each(['post', 'get'] as const)(
  'a callback by %s is forwarded as it was sent, with its own signature',
  async (method) => {
    real.answers = [500];
    const [listening] = await listen(1);
    const id = await order(method);
    const lines = (await listening) ?? [];
    const secret = /signed with (whsec_\S+)$/.exec(lines[0] ?? '')?.[1] ?? '';
    expect(lines.slice(1, 2)).toEqual(['Listening.']);
    expect(lines[2]).toContain(` orders {"id": "${id}"`.replaceAll(': ', ':'));
    expect(lines[3]).toBe(`  ${local.url}/here?own=1 answered 200`);
    const [sent, forwarded] = [real.received[0], local.received[0]];
    expect(forwarded?.body).toBe(sent?.body);
    expect(forwarded?.method).toBe(sent?.method);
    const names = (headers: object | undefined) => Object.keys(headers ?? {}).sort();
    expect(names(forwarded?.headers)).toEqual(names(sent?.headers));
    for (const name of ['webhook-id', 'webhook-timestamp', 'content-type', 'user-agent', 'accept'])
      expect([name, forwarded?.headers[name]]).toEqual([name, sent?.headers[name]]);
    const entries = [{ id, type: 'orders', status: 'completed' }];
    expect(forwarded?.headers['x-service-signature']).toBe(signCallback(secret, forwarded?.url ?? '', entries));
    const stamp = Number(forwarded?.headers['webhook-timestamp']);
    expect(forwarded?.headers['webhook-signature']).toBe(
      signWebhook(secret, String(forwarded?.headers['webhook-id']), stamp, forwarded?.body ?? ''),
    );
    expect(forwarded?.headers['webhook-signature']).not.toBe(sent?.headers['webhook-signature']);
    // An attempt that follows is the same callback.
    shop.clock.advance(61);
    await runDueJobs(shop.env);
    expect([real.received.length, local.received.length]).toEqual([2, 1]);
  },
);

test('call events are forwarded with their form; passwords and headers of the endpoint are replaced by the secret', async () => {
  await writeStream(shop.env, shop.accountId, 'voice_in_events', {
    ...{ url: `${real.url}/events`, username: 'user', password: 'hidden', headers: { 'X-Token': 'hidden too' } },
  });
  const [listening] = await listen(1, '--secret', 'a-secret-of-mine');
  const body = '{"type":"incoming-call-start-event","id":"10-1","attributes":{"did_number":"442079460000"}}';
  await ensureMonths(shop.env, 'call_events', shop.clock.now());
  await shop.env.pool.query(
    `insert into call_events (account_id, stream, call_id, body, created_at, due_at) values ($1, 'voice_in_events', '10-1', $2, $3, $3)`,
    [shop.accountId, body, shop.clock.now()],
  );
  delivererOf(shop.env).wake(shop.accountId, 'voice_in_events');
  const lines = (await listening) ?? [];
  expect(lines[2]).toContain(` voice_in_events ${body}`);
  const [sent, forwarded] = [real.received[0], local.received[0]];
  expect([forwarded?.body, forwarded?.headers['content-type']]).toEqual([sent?.body, sent?.headers['content-type']]);
  expect([sent?.headers['x-token'], forwarded?.headers['x-token']]).toEqual(['hidden too', 'a-secret-of-mine']);
  expect(forwarded?.headers.authorization).toBe(`Basic ${Buffer.from('user:a-secret-of-mine').toString('base64')}`);
  await delivererOf(shop.env).stop();
});

test('others hear nothing of it, a stream without a good secret is refused, and nobody is told when nobody listens', async () => {
  const other = await shop.addAccount();
  const response = (headers: Record<string, string>, query = '') =>
    fetch(`${shop.url}/sandbox/v1/listen${query}`, { headers });
  expect((await response({ 'api-key': shop.key })).status).toBe(422);
  expect((await response({ 'api-key': shop.key, 'listen-secret': 'short' })).status).toBe(422);
  expect((await response({ 'listen-secret': 'long-enough' })).status).toBe(401);
  const asked = { 'api-key': shop.key, 'listen-secret': 'long-enough' };
  expect((await response(asked, '?forward=ftp://x')).status).toBe(422);
  const stream = await response({ ...asked, 'api-key': other.key });
  const reader = stream.body?.getReader();
  const text = new TextDecoder().decode((await reader?.read())?.value);
  expect(text).toContain('event: ready');
  const heard: unknown[] = [];
  const stop = shop.env.listeners.on(shop.accountId, (sent) => heard.push(sent));
  await shop.env.listeners.announce(shop.accountId);
  await order('post');
  await expect.poll(() => heard).toHaveLength(1);
  stop();
  await sleep(0);
  await reader?.cancel();
});
