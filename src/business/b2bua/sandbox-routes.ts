/**
 * Where calls out of the sandbox go that no carrier of it takes: to a number of the same account as if it had come back
 * from a carrier, and otherwise to a phone of the sandbox's own. Nothing of it leaves the machine.
 */
import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import { isEmergencyNumber } from '../voice/emergency-numbers.ts';
import { EchoPhone } from './echo-phone.ts';
import type { SipEndpoint } from './endpoint.ts';

/** Calls out of one account at a time that this process answers itself. */
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
  /** Call → its account, until it has ended. */
  readonly #calls = new Map<object, string>();

  constructor(endpoint: SipEndpoint) {
    this.#endpoint = endpoint;
  }

  /** `caller` stands for the call, which counts from now on, whatever becomes of it, until `release`. */
  async find(destination: string, accountId: string, caller: object): Promise<readonly CarrierTarget[]> {
    const { env, loopback } = this.#endpoint;
    if (!/^\d{1,20}$/.test(destination) || isEmergencyNumber(destination)) return [];
    const calls = [...this.#calls.values()].filter((one) => one === accountId);
    if (calls.length >= mostCalls) return [];
    // Nothing waits between the count and this, so calls of one moment cannot pass the limit together.
    this.#calls.set(caller, accountId);
    const { rows } = await env.pool.query(
      'select 1 from dids where number = $1 and account_id = $2 and not terminated',
      [destination, accountId],
    );
    const isOwn = rows.length > 0;
    const address = isOwn && loopback !== null ? { host: loopback, port: this.#endpoint.ports.udp } : null;
    return [{ ...usual, ...(address ?? (await this.#phone.address())) }];
  }

  /** The call has ended, or was refused. */
  release(caller: object): void {
    this.#calls.delete(caller);
  }

  stop(): Promise<void> {
    return this.#phone.close();
  }
}
