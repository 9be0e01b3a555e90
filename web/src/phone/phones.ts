/** The phones of this tab: one that rings, and one for each call out. Pages look at them; they end with the session. */
import { useSyncExternalStore } from 'react';
import { sessionPath } from '../api/base.ts';
import { queryClient } from '../api/queries.ts';
import { BrowserPhone, type Credentials, type PhoneState } from './browser-phone.ts';

interface Shown {
  phone: BrowserPhone | null;
  state: PhoneState;
}

const off: PhoneState = { line: 'off', call: null, said: null };

class PhoneSlot {
  readonly #registers: boolean;
  readonly #listeners = new Set<() => void>();
  #shown: Shown = { phone: null, state: off };

  constructor(registers: boolean) {
    this.#registers = registers;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly shown = (): Shown => this.#shown;

  /** Takes the place of the one before. */
  async start(credentials: () => Promise<Credentials>): Promise<BrowserPhone> {
    this.stop();
    const phone = new BrowserPhone({
      credentials,
      registers: this.#registers,
      changed: (state) => this.#shown.phone === phone && this.#show({ phone, state }),
    });
    this.#show({ phone, state: off });
    try {
      await phone.start();
      return phone;
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop(): void {
    const { phone } = this.#shown;
    this.#show({ phone: null, state: off });
    phone?.stop();
  }

  #show(shown: Shown): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener();
  }
}

export const ringingPhone = new PhoneSlot(true);
export const callingPhone = new PhoneSlot(false);

export const usePhone = (slot: PhoneSlot): Shown => useSyncExternalStore(slot.subscribe, slot.shown);

queryClient.getQueryCache().subscribe(({ query }) => {
  if (query.queryKey[0] !== sessionPath || query.state.data !== null) return;
  ringingPhone.stop();
  callingPhone.stop();
});
