/**
 * Where calls out of the sandbox go that no carrier of it takes: to a number of the same account as if it had come back
 * from a carrier, and otherwise to a phone of the sandbox's own. Nothing of it leaves the machine.
 */

import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import { isEmergencyNumber } from '../voice/emergency-numbers.ts';
import { EchoPhone } from './echo-phone.ts';
import type { SipEndpoint } from './endpoint.ts';

/** Calls out of one account at a time that the sandbox answers itself. */
const mostCalls = 20;

const usual: Omit<CarrierTarget, 'host' | 'port'> = {
  carrier: { id: '00000000-0000-0000-0000-000000000000', name: 'the sandbox itself' },
  cost: null,
  isRerouted: () => false,
  transport: 'udp',
  isDown: false,
  tls: { verify: true, name: null },
  credentials: null,
  switches: { userPhone: false, reliable: 'supported' },
  signsCalls: false,
};

export class SandboxRoutes {
  readonly #endpoint: SipEndpoint;
  readonly #phone = new EchoPhone();

  constructor(endpoint: SipEndpoint) {
    this.#endpoint = endpoint;
  }

  async find(destination: string, accountId: string): Promise<readonly CarrierTarget[]> {
    const { env, loopback } = this.#endpoint;
    if (!/^\d{1,20}$/.test(destination) || isEmergencyNumber(destination)) return [];
    const { rows } = await env.pool.query<{ calls: number; isOwn: boolean }>(
      `select (select count(*)::int from open_calls where account_id = $1 and direction = 'out') as calls,
         exists (select from dids where number = $2 and account_id = $1 and not terminated) as "isOwn"`,
      [accountId, destination],
    );
    const [{ calls, isOwn } = { calls: 0, isOwn: false }] = rows;
    if (calls >= mostCalls) return [];
    const address = isOwn && loopback !== null ? { host: loopback, port: this.#endpoint.ports.udp } : null;
    return [{ ...usual, ...(address ?? (await this.#phone.address())) }];
  }

  stop(): Promise<void> {
    return this.#phone.close();
  }
}
