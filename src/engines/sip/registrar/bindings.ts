/** Where the registrar keeps contacts: an interface for the database to come, and one in memory. */
import type { Flow } from '../transport/wire.ts';

export interface Binding {
  /** The Contact URI. */
  uri: string;
  /** Milliseconds of the registrar's clock. */
  expiresAt: number;
  callId: string;
  sequence: number;
  /** From 0 to 1; contacts with more are tried first. */
  priority: number;
  /** Where the registration came from: calls to a phone behind NAT go there. */
  source: Flow;
  path: readonly string[];
  /** The device and its registration (RFC 5626): it comes back with another contact after it was restarted. */
  instance?: string;
}

export interface BindingStore {
  /** All bindings of an address of record, expired ones too. */
  read(addressOfRecord: string): Promise<readonly Binding[]>;
  /** Replaces them. `change` may be called again when another process wrote in between. Returns what was stored. */
  update(
    addressOfRecord: string,
    change: (current: readonly Binding[]) => readonly Binding[],
  ): Promise<readonly Binding[]>;
}
