/** Delivery of call events: order, retries, receivers that fail. */
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { advanceClock, openOutbound } from '../../../../test/support/environment.ts';
import { EventEndpoint } from '../../../../test/support/event-endpoint.ts';
import { useTelephony } from '../../../../test/support/use-telephony.ts';
import { simulateInbound } from '../simulate.ts';
import { Deliverer, delivererOf } from './deliverer.ts';
import { listEvents, replayEvent } from './queue.ts';
import { writeStream } from './stream-settings.ts';

const { house, telephony, voice } = useTelephony();
const endpoints: EventEndpoint[] = [];
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.close();
});
afterAll(async () => {
  await delivererOf(house.env).stop();
});

async function customer(settings: { gzip?: boolean } = {}) {
  const endpoint = new EventEndpoint(house.clock);
  endpoints.push(endpoint);
  const url = await endpoint.open();
  const accountId = await telephony.account({ callEvents: { url, gzip: settings.gzip ?? false } });
  const { number } = await telephony.did(accountId, {
    voice_in_trunk_id: await telephony.trunk(accountId),
    channels_included_count: 100,
  });
  const call = async () =>
    (
      await simulateInbound(
        voice,
        { didNumber: number, srcNumber: '1' },
        { outcomes: [{ code: 200 }], talk_seconds: 5 },
      )
    ).call;
  return { accountId, endpoint, url, call };
}

const look = () => delivererOf(house.env).deliverDue();

describe('an event', () => {
  test('is one POST with the documented headers', async () => {
    const { endpoint, call } = await customer();
    const { id } = await call();
    await look();
    expect(endpoint.events.map((event) => [event.type, event.id])).toEqual([
      ['incoming-call-start-event', id],
      ['incoming-call-connect-event', id],
      ['incoming-call-end-event', id],
    ]);
    expect(endpoint.posts[0]?.headers).toMatchObject({
      'user-agent': 'CDR-streamer',
      accept: '*/*',
      'content-type': 'application/vnd.api+json',
      'content-length': String(endpoint.posts[0]?.body.length),
    });
    expect(endpoint.posts[0]?.headers['content-encoding']).toBeUndefined();
  });

  test('is compressed, authorised and has the customer’s headers where that is set', async () => {
    const { accountId, endpoint, url, call } = await customer({ gzip: true });
    await call();
    await look();
    expect(endpoint.posts[0]?.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(endpoint.posts[0]?.body ?? '').toString()).type).toBe('incoming-call-start-event');
    await writeStream(house.env, accountId, 'voice_in_events', {
      url,
      username: 'u',
      password: 'p',
      headers: { 'X-Token': 't' },
    });
    await expect
      .poll(async () => {
        await call();
        await look();
        return endpoint.posts.at(-1)?.headers;
      })
      .toMatchObject({ authorization: `Basic ${btoa('u:p')}`, 'x-token': 't' });
  });

  test('that cannot be a header is refused when it is set', async () => {
    const { accountId, url } = await customer();
    await expect(
      writeStream(house.env, accountId, 'voice_in_cdr', { url, headers: { 'X-A': 'b\r\nEvil: 1' } }),
    ).rejects.toThrow('X-A');
    await expect(
      writeStream(house.env, accountId, 'voice_in_cdr', { url, headers: { 'Content-Type': 'x' } }),
    ).rejects.toThrow('Content-Type');
  });
});

test('an advance of the clock stops at every retry, also of an event that was not tried before', async () => {
  const { endpoint, call } = await customer();
  endpoint.answer = (_body, response) => response.writeHead(500).end();
  const start = house.clock.now().getTime();
  await call();
  await advanceClock(house.env, 40);
  expect(endpoint.posts.map(({ at }) => (at - start) / 1000)).toEqual([0, 1, 6, 36]);
});

describe('a receiver that fails', () => {
  test('is asked again after 1 s, 5 s, 30 s, 2 min, 10 min and then hourly; the rest of the call waits', async () => {
    const { endpoint, call } = await customer();
    endpoint.answer = (_body, response) => response.writeHead(500).end();
    const { id } = await call();
    await look();
    const start = endpoint.posts[0]?.at ?? 0;
    await advanceClock(house.env, 2 * 3600 + 800);
    expect(endpoint.posts.map(({ at }) => (at - start) / 1000)).toEqual([0, 1, 6, 36, 156, 756, 4356, 7956]);
    expect(new Set(endpoint.events.map(({ type }) => type))).toEqual(new Set(['incoming-call-start-event']));
    endpoint.answer = (_body, response) => response.writeHead(204).end();
    await advanceClock(house.env, 3600);
    expect(endpoint.events.slice(-3)).toMatchObject([
      { type: 'incoming-call-start-event', id },
      { type: 'incoming-call-connect-event', id },
      { type: 'incoming-call-end-event', id },
    ]);
  });

  test('for one event only does not hold up the other calls', async () => {
    const { endpoint, call } = await customer();
    const poison = await call();
    endpoint.answer = (body, response) => response.writeHead(body.includes(poison.id) ? 500 : 200).end();
    const others = [await call(), await call(), await call()];
    await look();
    const delivered = endpoint.events.filter(({ id }) => id !== poison.id);
    expect(delivered).toHaveLength(9);
    for (const other of others) {
      expect(delivered.filter(({ id }) => id === other.id).map(({ type }) => type)).toEqual([
        'incoming-call-start-event',
        'incoming-call-connect-event',
        'incoming-call-end-event',
      ]);
    }
    expect(endpoint.events.filter(({ id }) => id === poison.id)).toHaveLength(1);
  });

  test('for good is given up after a day, and can be sent again from the log', async () => {
    const { accountId, endpoint, call } = await customer();
    endpoint.answer = (_body, response) => response.writeHead(503).end();
    const { id } = await call();
    await look();
    await advanceClock(house.env, 30 * 3600);
    const log = await listEvents(house.env, { accountId, callId: id });
    expect(log.at(-1)).toMatchObject({ status: 'failed', attempts: 30, last_status: 503 });
    endpoint.answer = (_body, response) => response.writeHead(200).end();
    endpoint.posts.length = 0;
    await advanceClock(house.env, 3600);
    expect(await replayEvent(house.env, accountId, log.at(-1)?.id ?? 0)).toBe(true);
    expect(await replayEvent(house.env, await telephony.account(), log.at(-1)?.id ?? 0)).toBe(false);
    await look();
    expect(endpoint.events.some(({ type }) => type === 'incoming-call-start-event')).toBe(true);
    expect((await listEvents(house.env, { accountId, callId: id })).at(-1)).toMatchObject({
      status: 'delivered',
      attempts: 1,
    });
  });

  test('is not asked again once everything for it was given up', async () => {
    const { accountId, endpoint, call } = await customer();
    endpoint.answer = (_body, response) => response.writeHead(503).end();
    for (let n = 0; n < 3; n++) await call();
    await look();
    await house.env.pool.query('update call_events set due_at = null where account_id = $1', [accountId]);
    endpoint.posts.length = 0;
    await advanceClock(house.env, 3600);
    expect(endpoint.posts).toEqual([]);
    const { rows } = await house.env.pool.query(
      `select 1 from jobs where task = 'voice.deliver_events' and key like $1`,
      [`%${accountId}%`],
    );
    expect(rows).toEqual([]);
  });

  test('is asked by one event at a time, and once it is back everything goes out in order', async () => {
    const { endpoint, call } = await customer();
    endpoint.answer = (_body, response) => response.destroy();
    const calls = [];
    for (let i = 0; i < 40; i++) calls.push((await call()).id);
    await look();
    const before = endpoint.posts.length;
    expect(before).toBeLessThan(40);
    await advanceClock(house.env, 1);
    expect(endpoint.posts.length - before).toBeLessThanOrEqual(2);
    endpoint.answer = (_body, response) => response.writeHead(200).end();
    endpoint.posts.length = 0;
    await advanceClock(house.env, 120);
    expect(endpoint.posts).toHaveLength(120);
    for (const id of calls) {
      expect(endpoint.events.filter((event) => event.id === id).map(({ type }) => type)).toEqual([
        'incoming-call-start-event',
        'incoming-call-connect-event',
        'incoming-call-end-event',
      ]);
    }
  });
});

test('requests are counted by their result', async () => {
  const { accountId, endpoint, call } = await customer();
  // Another process, with counters of its own.
  const env = { ...house.env, outbound: openOutbound() };
  const deliverer = new Deliverer(env);
  const deliver = () => deliverer.deliver({ accountId, stream: 'voice_in_events' });
  await call();
  for (const [status, seconds] of [
    [503, 2],
    [404, 6],
    [204, 0],
  ] as const) {
    endpoint.answer = (_body, response) => response.writeHead(status).end();
    await deliver();
    house.clock.advance(seconds);
  }
  await call();
  await endpoint.close();
  await deliver();
  await deliverer.stop();
  expect(env.outbound.sent.counts()).toEqual([
    { purpose: 'call_event', result: 'status_5xx', count: 1 },
    { purpose: 'call_event', result: 'status_4xx', count: 1 },
    { purpose: 'call_event', result: 'ok', count: 3 },
    { purpose: 'call_event', result: 'connect', count: 1 },
  ]);
});

test('two processes that look at once send each event once', async () => {
  const { endpoint, call } = await customer();
  endpoint.answer = (_body, response) => setTimeout(() => response.writeHead(200).end(), 20);
  for (let i = 0; i < 5; i++) await call();
  const own = delivererOf(house.env);
  const other = new Deliverer(house.env);
  await Promise.all([look(), other.deliverDue(), look(), other.deliverDue()]);
  await other.stop();
  expect(delivererOf(house.env)).toBe(own);
  await look();
  expect(endpoint.posts).toHaveLength(15);
});

test('a process that only wakes a lane gives it back, and the others retry', async () => {
  const { accountId, endpoint, call } = await customer();
  endpoint.answer = (_body, response) => response.writeHead(500).end();
  await call();
  const other = new Deliverer(house.env);
  other.wake(accountId, 'voice_in_events');
  await expect.poll(() => endpoint.posts.length).toBe(1);
  await advanceClock(house.env, 1);
  expect(endpoint.posts).toHaveLength(2);
  await other.stop();
});

test('CDRs go as lines, many to a request, compressed, after 100 Continue', async () => {
  const { accountId, endpoint, url, call } = await customer();
  await writeStream(house.env, accountId, 'voice_in_cdr', { url });
  const calls = [await call(), await call()];
  await look();
  const post = endpoint.posts.find(({ headers }) => headers['content-type'] === 'text/plain');
  expect(post?.headers).toMatchObject({
    'content-encoding': 'gzip',
    expect: '100-continue',
    'user-agent': 'CDR-streamer',
  });
  const lines = gunzipSync(post?.body ?? '')
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type, attributes }) => [type, attributes.local_tag])).toEqual(
    calls.map(({ id }) => ['inbound-cdr', id]),
  );
  expect(endpoint.continues).toBe(1);
});
