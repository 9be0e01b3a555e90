/** A store of registrations in memory, for tests. */
import type { Binding, BindingStore } from './bindings.ts';

export class MemoryBindings implements BindingStore {
  readonly #byAddress = new Map<string, readonly Binding[]>();

  async read(addressOfRecord: string): Promise<readonly Binding[]> {
    return this.#byAddress.get(addressOfRecord) ?? [];
  }

  async update(
    addressOfRecord: string,
    change: (current: readonly Binding[]) => readonly Binding[],
  ): Promise<readonly Binding[]> {
    const bindings = change(this.#byAddress.get(addressOfRecord) ?? []);
    if (bindings.length === 0) this.#byAddress.delete(addressOfRecord);
    else this.#byAddress.set(addressOfRecord, bindings);
    return bindings;
  }
}
