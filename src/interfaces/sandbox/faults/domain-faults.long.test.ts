/**
 * Every fault of the domain by its name, as a client of a world meets it: each does what `GET /sandbox/v1/scenarios`
 * says of it.
 */
import { afterEach, expect, test } from 'vitest';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { type MadeWorld, send, WorldClient } from '../../../../test/support/world-client.ts';
import { type DomainFault, domainFaults } from '../../../engines/injected-faults.ts';

const server = useOpened(() => startTestServer({ worlds: true }));
const receiver = useOpened(() => startReceiver());
const world = useMade(async () => {
  const made = await send<MadeWorld>(
    'POST',
    `${server.url}/sandbox/v1/worlds`,
    { 'api-key': server.key },
    { from: 'empty' },
  );
  return new WorldClient(made);
});

interface Resource {
  id: string;
  attributes: Record<string, unknown>;
}

const advance = (seconds: number) => world.control('POST', '/clock', { advance_seconds: seconds });
const find = async (path: string) => (await world.v3<{ data: Resource }>('GET', path)).data.attributes;
const post = async (path: string, attributes: object, relationships: object = {}) => {
  const data = { type: path.slice(1), attributes, relationships };
  return (await world.v3<{ data: Resource }>('POST', path, data)).data;
};
const link = (type: string, id: string) => ({ data: { type, id } });
const received = () => receiver.received.splice(0).map(({ body }) => body);
afterEach(() => world.control('DELETE', '/faults'));

/** Returns the order's id. */
async function order(callbackPath?: string): Promise<string> {
  const numbers = [{ country: 'GB', prefix: '20', count: 2 }];
  const seeded = await world.control<{ numbers: { stock_keeping_unit_id: string }[] }>('POST', '/seed', { numbers });
  const sku_id = seeded.numbers[0]?.stock_keeping_unit_id;
  const callback =
    callbackPath === undefined ? {} : { callback_url: `${receiver.url}/${callbackPath}`, callback_method: 'post' };
  const items = [{ type: 'did_order_items', attributes: { qty: 1, sku_id } }];
  return (await post('/orders', { items, ...callback })).id;
}

/** The ids of the orders whose callbacks came, in their order. */
const toldOrders = () => received().map((body) => new URLSearchParams(body).get('id'));

async function ownNumber(seed: object = {}): Promise<{ id: string; number: string }> {
  const numbers = [{ country: 'GB', prefix: '20', ...seed }];
  const seeded = await world.control<{ accounts: { numbers: { id: string; number: string }[] }[] }>('POST', '/seed', {
    accounts: [{ numbers, balance: '500.00', call_events: { url: `${receiver.url}/events`, gzip: false } }],
  });
  const [own] = seeded.accounts[0]?.numbers ?? [];
  if (own === undefined) throw new Error('no number was made');
  return own;
}

let calls = 0;

/** A call to a number that leads to a trunk. */
async function call(): Promise<unknown> {
  calls += 1;
  const { id, number } = await ownNumber({ description: `call ${calls}` });
  const attributes = { host: 'sip.example.net', codec_ids: [9] };
  const configuration = { type: 'sip_configurations', attributes };
  const trunk = await post('/voice_in_trunks', { name: `trunk ${calls}`, configuration });
  const relationships = { voice_in_trunk: link('voice_in_trunks', trunk.id) };
  await world.v3('PATCH', `/dids/${id}`, { type: 'dids', id, relationships });
  return world.control('POST', '/calls', { did_number: number, src_number: '33612345678' });
}

const toldEvents = () =>
  received().map((body) => String(JSON.parse(body).type).replace(/^incoming-call-|-event$/g, ''));

let phones = 0;

/** Starts a verification; its state and its messages are asked for later. */
async function verify() {
  phones += 1;
  const destination = `4915112345${100 + phones}`;
  const { data } = await world.otp<{ data: { id: string } }>('POST', '', { destination, delivery_method: 'sms' });
  await advance(1);
  const messages = async () =>
    (await world.control<{ messages: { code: string }[] }>('GET', `/messages?destination=${destination}`)).messages;
  return { messages, state: async () => (await world.otp<{ data: object }>('GET', `/${data.id}`)).data };
}

/** A submission for a number that needs a registration. */
async function submit(): Promise<string> {
  const number = { country: 'IS', type: 'Mobile', needs_registration: true, state: 'awaiting_registration' };
  const owned = await ownNumber({ ...number, prefix: undefined });
  const { data: countries } = await world.v3<{ data: Resource[] }>('GET', '/countries?filter[iso]=IS');
  const person = { identity_type: 'personal', first_name: 'Jane', last_name: 'Doe', phone_number: '442037691880' };
  const identity = await post('/identities', person);
  const address = await post(
    '/addresses',
    { address: 'Laugavegur 1', city_name: 'Reykjavik', postal_code: '101' },
    { identity: link('identities', identity.id), country: link('countries', countries[0]?.id ?? '') },
  );
  const dids = { data: [{ type: 'dids', id: owned.id }] };
  return (await post('/address_verifications', {}, { address: link('addresses', address.id), dids })).id;
}

/** What each fault does, once it has been asked for. The compiler finds a fault without an entry. */
const proofs: Readonly<Record<DomainFault, { seconds?: number; happens: () => Promise<void> }>> = {
  'order.pending': {
    happens: async () => {
      const id = await order();
      await advance(3600);
      expect(await find(`/orders/${id}`)).toMatchObject({ status: 'pending' });
    },
  },
  'order.canceled': {
    happens: async () => {
      const id = await order();
      await advance(1);
      expect(await find(`/orders/${id}`)).toMatchObject({ status: 'canceled' });
    },
  },
  'order.stock_gone': { happens: () => expect(order()).rejects.toThrow('items/0/qty - exceeds available DIDs count') },
  'callback.lost': {
    happens: async () => {
      await order('lost');
      await advance(86_400);
      expect(toldOrders()).toEqual([]);
    },
  },
  'callback.doubled': {
    happens: async () => {
      const id = await order('doubled');
      await advance(1);
      expect(toldOrders()).toEqual([id, id]);
    },
  },
  'callback.late': {
    seconds: 600,
    happens: async () => {
      const id = await order('late');
      await advance(590);
      expect(toldOrders()).toEqual([]);
      await advance(20);
      expect(toldOrders()).toEqual([id]);
    },
  },
  'callback.out_of_order': {
    happens: async () => {
      const [first, second] = [await order('first'), await order('second')];
      await advance(61);
      expect(toldOrders()).toEqual([second, first]);
    },
  },
  'event.lost': { happens: async () => expectEvents(await call(), 1, ['connect', 'end']) },
  'event.doubled': { happens: async () => expectEvents(await call(), 1, ['start', 'start', 'connect', 'end']) },
  'event.late': {
    seconds: 600,
    happens: async () => {
      await expectEvents(await call(), 590, []);
      await expectEvents(null, 20, ['start', 'connect', 'end']);
    },
  },
  'event.out_of_order': { happens: async () => expectEvents(await call(), 6, ['end', 'connect', 'start']) },
  'sms.failed': {
    happens: async () => {
      const { state, messages } = await verify();
      expect([await state(), await messages()]).toMatchObject([
        { status: 'failed', error_code: 'dispatch_failed' },
        [],
      ]);
    },
  },
  'sms.late': {
    seconds: 20,
    happens: async () => {
      const { messages } = await verify();
      expect(await messages()).toEqual([]);
      await advance(20);
      expect(await messages()).toHaveLength(1);
    },
  },
  'sms.twice': {
    happens: async () => {
      const [first, second, ...others] = await (await verify()).messages();
      expect([first?.code, others]).toEqual([second?.code, []]);
    },
  },
  'call.rings_forever': {
    happens: async () => expect(await call()).toMatchObject({ status: 'failed', disconnect_code: 1505 }),
  },
  'call.drops': {
    happens: async () => expect(await call()).toMatchObject({ status: 'completed', disconnect_code: 408 }),
  },
  'call.one_way_events': { happens: async () => expectEvents(await call(), 3600, ['start', 'connect']) },
  'review.rejected': {
    happens: async () => {
      const id = await submit();
      await advance(1);
      expect(await find(`/address_verifications/${id}`)).toMatchObject({ status: 'rejected' });
    },
  },
  'renewal.failed': {
    happens: async () => {
      const { id } = await ownNumber({ description: 'renewed', expires_at: '+P1D' });
      await advance(86_400);
      expect(await find(`/dids/${id}`)).toMatchObject({ terminated: true, blocked: true });
    },
  },
};

async function expectEvents(_call: unknown, seconds: number, types: readonly string[]): Promise<void> {
  await advance(seconds);
  expect(toldEvents()).toEqual(types);
}

test.each(Object.keys(domainFaults) as DomainFault[])('%s', async (fault) => {
  const { seconds, happens } = proofs[fault];
  await advance(1);
  received();
  await world.control('POST', '/faults', { do: { fault, ...(seconds === undefined ? {} : { seconds }) } });
  await happens();
  const { faults } = await world.control<{ faults: { hits: number; times_left: number }[] }>('GET', '/faults');
  expect(faults).toMatchObject([{ hits: 1, times_left: 0 }]);
});
