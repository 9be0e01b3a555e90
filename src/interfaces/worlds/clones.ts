/**
 * Makes the databases of worlds as clones of their templates, and keeps some ready, so that making a world takes a
 * moment.
 */
import type { Environment } from '../../engines/environment.ts';
import type { WorldDatabases } from './databases.ts';
import { requireShare, requireSpace, type WorldLimits } from './limits.ts';
import { newWorldId, type Ownership, type WorldRegistry } from './registry.ts';
import type { Turns } from './turns.ts';

interface CloneParts {
  readonly env: Environment;
  readonly databases: WorldDatabases;
  readonly registry: WorldRegistry;
  readonly limits: WorldLimits;
  end(id: string): Promise<void>;
  readonly turns: Turns;
  /** What the databases of an account take on disk. */
  bytesOf(accountId: string): Promise<number>;
  /** Drops what waits to be dropped. */
  makeSpace(): Promise<void>;
}

/**
 * Measuring reads the size of every file of every world, so it is not done each time while there is plenty of space.
 */
const trustedMs = 5_000;

export class Clones {
  readonly #parts: CloneParts;
  readonly #filling = new Map<string, Promise<void>>();
  /** Templates of which a clone was taken since the ready ones were last counted. */
  readonly #taken = new Set<string>();
  /** When less than half of the space was taken. */
  #plentyAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(parts: CloneParts) {
    this.#parts = parts;
  }

  /** Gives a clone to its owner, one of the ready ones if there are any. Returns its id. */
  async take(template: string, owner: Ownership): Promise<string> {
    const { registry } = this.#parts;
    const ready = await registry.takeReady(template, owner);
    if (ready !== null) return ready;
    return this.#parts.turns.take(owner.accountId, async () => {
      // Others that waited may have taken the last.
      await registry.requireRoom(owner.accountId, owner.sip);
      const id = await this.make(template, owner.accountId);
      await this.orEnd(id, () => registry.take(id, owner));
      return id;
    });
  }

  /** Makes a clone that belongs to nobody; `accountId` is whose request it is for. */
  async make(template: string, accountId: string | null = null): Promise<string> {
    await this.requireSpace(accountId);
    const { databases, registry } = this.#parts;
    const id = newWorldId();
    await registry.begin(id, template);
    await this.orEnd(id, () => databases.createWorld(id, template));
    return id;
  }

  /** Makes as many ready ones as there should be, in the background and one at a time. */
  refill(template: string): void {
    this.#taken.add(template);
    if (this.#filling.has(template)) return;
    const filling = this.#fill(template)
      .catch((error) => this.#parts.env.log.warn({ err: error }, 'no world could be kept ready'))
      .finally(() => {
        this.#filling.delete(template);
        if (this.#taken.has(template)) this.refill(template);
      });
    this.#filling.set(template, filling);
  }

  /** If a step of making a world fails, the world ends. */
  async orEnd<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.#parts.end(id);
      throw error;
    }
  }

  /** Throws NoRoomForWorld if all databases, or those of this account, take more than they may. */
  async requireSpace(accountId: string | null): Promise<void> {
    const { databases, limits, makeSpace, bytesOf } = this.#parts;
    if (performance.now() - this.#plentyAt < trustedMs) return;
    const bytes = await databases.size();
    if (bytes < limits.mostBytes / 2) {
      this.#plentyAt = performance.now();
      return;
    }
    if (accountId !== null) requireShare(await bytesOf(accountId), limits);
    if (bytes < limits.mostBytes) return;
    await makeSpace();
    requireSpace(await databases.size(), limits);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#filling.values());
  }

  async #fill(template: string): Promise<void> {
    const { registry, limits } = this.#parts;
    while (this.#taken.delete(template)) {
      while (!this.#stopped && (await registry.countReady(template)) < limits.ready) {
        await registry.markReady(await this.make(template));
      }
    }
  }
}
