/** A client of one world: requests to its three interfaces, and one use of each thing that people test with it. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface MadeWorld {
  id: string;
  url: string;
  api_key: string;
  otp_application: { key: string; secret: string };
  now: string;
  sip?: { host: string; port: number };
}

export class WorldClient {
  readonly made: MadeWorld;

  constructor(made: MadeWorld) {
    this.made = made;
  }

  control<T>(method: string, path: string, body?: object): Promise<T> {
    return send(method, `${this.made.url}/sandbox/v1${path}`, { 'api-key': this.made.api_key }, body);
  }

  v3<T>(method: string, path: string, data?: object): Promise<T> {
    const type = 'application/vnd.api+json';
    const headers = { 'api-key': this.made.api_key, accept: type };
    return send(method, `${this.made.url}/v3${path}`, headers, data && { data }, type);
  }

  otp<T>(method: string, path: string, data?: object): Promise<T> {
    const { key, secret } = this.made.otp_application;
    const headers = { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
    return send(method, `${this.made.url}/api/v1/verifications${path}`, headers, data && { data });
  }
}

/** How often a request is sent again that a busy server has asked to send again. */
const mostBusy = 60;

/** Sends JSON; anything but a success is an error that says all of it, unless the server is busy for a moment. */
export async function send<T>(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
  type = 'application/json',
): Promise<T> {
  for (let busy = 0; ; busy++) {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': type } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text || 'null');
    const wait = response.headers.get('retry-after');
    if (response.status !== 503 || wait === null || busy === mostBusy)
      throw new Error(`${method} ${url}: ${response.status} ${text}`);
    await sleep(Number(wait) * 1000);
  }
}

interface Seeded {
  accounts: { numbers: { id: string; number: string }[] }[];
  numbers: { stock_keeping_unit_id: string }[];
}

/**
 * Puts a number on sale, orders it, calls it, and verifies a phone: always the same ones, so that a leak would show.
 */
export async function useWorldOnce(world: WorldClient): Promise<void> {
  const seeded = await world.control<Seeded>('POST', '/seed', { numbers: [{ country: 'GB', prefix: '20' }] });
  const sku_id = seeded.numbers[0]?.stock_keeping_unit_id;
  const items = [{ type: 'did_order_items', attributes: { qty: 1, sku_id } }];
  const order = await world.v3<{ data: { id: string } }>('POST', '/orders', { type: 'orders', attributes: { items } });
  await world.control('POST', '/clock', { advance_seconds: 1 });
  const { data: dids } = await world.v3<{ data: { attributes: { number: string } }[] }>('GET', '/dids');
  requireOne(dids, `the order ${order.data.id} has brought`);
  const call = { did_number: dids[0]?.attributes.number, src_number: '33612345678' };
  await world.control('POST', '/calls', call);
  requireOne((await world.control<{ calls: unknown[] }>('GET', '/calls')).calls, 'calls');

  const destination = '4915112345678';
  const started = await world.otp<{ data: { id: string } }>('POST', '', { destination, delivery_method: 'sms' });
  const { messages } = await world.control<{ messages: { verification_id: string; code: string }[] }>(
    'GET',
    `/messages?destination=${destination}&wait=30`,
  );
  requireOne(messages, 'messages');
  const { code } = messages[0] ?? {};
  const reported = await world.otp<{ data: { status: string } }>('PATCH', `/${started.data.id}`, {
    delivery_method: 'sms',
    code,
  });
  if (reported.data.status !== 'verified') throw new Error(`the verification is ${reported.data.status}`);
}

function requireOne(found: readonly unknown[], what: string): void {
  if (found.length !== 1) throw new Error(`there are ${found.length} ${what}, not one`);
}
