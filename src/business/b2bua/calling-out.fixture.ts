/** Customers who call out through a carrier of their own, which is a phone. */
import { createDialers, type Dialer } from '../../../test/support/dialers.ts';
import type { Content } from '../../engines/sip/dialog/agent.ts';
import type { OutgoingCall } from '../../engines/sip/dialog/outgoing-call.ts';
import { type CarrierSettings, createCarrier } from '../voice/carriers/carriers.ts';
import { addRoute } from '../voice/carriers/routes.ts';
import { type Phone, type PhoneOptions, sdp, type World } from './world.fixture.ts';

interface CallingOut extends Dialer {
  customer: Phone;
  carrier: Phone;
  carrierName: string;
  /** First digits of the numbers that lead to the carrier. */
  prefix: string;
  /** Calls a number that leads to the carrier, or another one. */
  call(number?: string, content?: Content, headers?: readonly (readonly [string, string])[]): OutgoingCall;
}

export interface CallingOutOptions {
  /** The phone that calls; default: one of its own. */
  customer?: Phone;
  /** Of the carrier's phone. */
  phone?: PhoneOptions;
  carrier?: Partial<CarrierSettings>;
  /** Columns of the outbound trunk and of the customer's number. */
  trunk?: object;
  did?: object;
  /** Default: an account of its own. */
  accountId?: string;
}

let customers = 0;

export async function callingOut(world: World, options: CallingOutOptions = {}): Promise<CallingOut> {
  const { env } = world.world;
  const customer = options.customer ?? (await world.phone());
  const carrier = await world.phone(options.phone);
  customers += 1;
  const carrierName = `carrier ${customers}`;
  const prefix = `4${1000 + customers}`;
  const rate = { kind: 'termination', per_minute: '0.6', country: 'Germany', network: 'Fixed' } as const;
  await env.db
    .insertInto('voice_rates')
    .values({ ...rate, prefix })
    .execute();
  await createCarrier(env, { name: carrierName, host: '127.0.0.1', port: carrier.port, ...options.carrier });
  await addRoute(env, { carrier: carrierName, prefix, priority: 1, weight: 1 });
  const account = { username: carrierName, password: 'p' };
  const authentication = { allowed_sip_ips: ['127.0.0.0/8', '::1'], tech_prefix: null, ...account };
  const accountOf = async () => options.accountId ?? world.telephony.account();
  const addDialer = createDialers(world.world, { ...world.telephony, account: accountOf });
  const dialer = await addDialer({ authentication: JSON.stringify(authentication), ...options.trunk }, options.did);
  const from = `<sip:+${dialer.number}@127.0.0.1>`;
  const call: CallingOut['call'] = (number = `${prefix}123456`, content = sdp(), headers = []) =>
    customer.dial(number, { from, account, extra: { content, headers } });
  return { ...dialer, customer, carrier, carrierName, prefix, call };
}
