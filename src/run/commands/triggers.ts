/** What `trunkline trigger` can let happen, by name: each with requests that a client or a test would send. */
import { OperatorError } from '../../base/operator-error.ts';
import type { SendControl } from './sandbox-control.ts';

interface TriggerContext {
  readonly control: SendControl;
  readonly v3: SendControl;
  /** Where the callback of an order or the events of a call go. */
  readonly callback: string | null;
}

/** Returns a sentence on what has happened. */
type Trigger = (context: TriggerContext) => Promise<string>;

/** Of those triggers that send something. */
export const takesCallback = (name: string): boolean => /^(order|call)\./.test(name);

export const triggers: Readonly<Record<string, Trigger>> = {
  'order.completed': (context) => order(context, null),
  'order.canceled': (context) => order(context, 'order.canceled'),
  'order.pending': (context) => order(context, 'order.pending'),
  'call.start': (context) => call(context, { outcomes: [{ code: 200 }], talk_seconds: null }),
  'call.end': (context) => call(context, { outcomes: [{ code: 200 }], talk_seconds: 30 }),
  'call.busy': (context) => call(context, { outcomes: [{ code: 486 }], talk_seconds: 0 }),
  'number.expired': async ({ control }) => {
    const { numbers } = await seedOwn(control, { numbers: [{ ...someNumber, state: 'expired' }] });
    return `The number ${numbers[0]?.number} has expired.`;
  },
  ...Object.fromEntries(
    ['pending', 'verified', 'failed', 'expired', 'denied'].map((status): [string, Trigger] => [
      `verification.${status}`,
      async ({ control }) => {
        const verification = { destination: '4915112345678', status };
        const { verifications } = await seedOwn(control, { verifications: [verification] });
        return `The verification ${verifications[0]} of ${verification.destination} is ${status}.`;
      },
    ]),
  ),
};

const someNumber = { country: 'GB', prefix: '20' };

interface Seeded {
  numbers: { stock_keeping_unit_id: string }[];
  accounts: { numbers: { id: string; number: string }[]; verifications: string[] }[];
}

interface Resource {
  id: string;
  attributes: Record<string, unknown>;
}

interface Document {
  data: Resource & { relationships?: Record<string, { data?: unknown }> };
}

async function seedOwn(control: SendControl, account: object) {
  const { accounts } = (await control('POST', '/seed', { accounts: [account] })) as Seeded;
  const [own] = accounts;
  if (own === undefined) throw new OperatorError('The sandbox has made no record.');
  return own;
}

/** A number is put on sale and ordered; what has to run for it runs before this returns. */
async function order({ control, v3, callback }: TriggerContext, fault: string | null): Promise<string> {
  const { numbers } = (await control('POST', '/seed', { numbers: [someNumber] })) as Seeded;
  if (fault !== null) await control('POST', '/faults', { do: { fault } });
  const sku = numbers[0]?.stock_keeping_unit_id;
  const items = [{ type: 'did_order_items', attributes: { qty: 1, sku_id: sku } }];
  const more = callback === null ? {} : { callback_url: callback, callback_method: 'post' };
  const created = (await v3('POST', '/orders', {
    data: { type: 'orders', attributes: { ...more, items } },
  })) as Document;
  await control('POST', '/clock', { advance_seconds: 1 });
  const { data } = (await v3('GET', `/orders/${created.data.id}`)) as Document;
  const hint =
    callback === null ? ' It has no callback: --callback URL gives it one, which "trunkline listen" shows.' : '';
  return `The order ${data.attributes.reference} is ${data.attributes.status}.${hint}`;
}

/**
 * Calls a number that leads to a SIP trunk; both are made the first time. Where events go is a setting of the account.
 */
async function call({ control, v3, callback }: TriggerContext, script: object): Promise<string> {
  const { numbers } = await seedOwn(control, {
    numbers: [{ ...someNumber, description: 'trunkline trigger' }],
    ...(callback === null ? {} : { call_events: { url: callback } }),
  });
  const [did] = numbers;
  if (did === undefined) throw new OperatorError('The sandbox has made no number.');
  await route(v3, did.id);
  const placed = (await control('POST', '/calls', { did_number: did.number, src_number: '442079460001', script })) as {
    id: string;
    status: string;
    disconnect_code: number | null;
  };
  const end = placed.disconnect_code === null ? '' : `, ${placed.disconnect_code}`;
  return `The call ${placed.id} to ${did.number} is ${placed.status}${end}.`;
}

async function route(v3: SendControl, didId: string): Promise<void> {
  const { data } = (await v3('GET', `/dids/${didId}?include=voice_in_trunk`)) as Document;
  if (data.relationships?.voice_in_trunk?.data) return;
  const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };
  const trunk = { type: 'voice_in_trunks', attributes: { name: `trigger ${didId.slice(0, 8)}`, configuration } };
  const made = (await v3('POST', '/voice_in_trunks', { data: trunk })) as Document;
  const voice_in_trunk = { data: { type: 'voice_in_trunks', id: made.data.id } };
  await v3('PATCH', `/dids/${didId}`, { data: { type: 'dids', id: didId, relationships: { voice_in_trunk } } });
}
