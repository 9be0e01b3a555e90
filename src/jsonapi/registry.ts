import type { EngineContext, Resource } from './resource.ts';

/** All declared types by name. A relationship may name a type that a later room brings; then nothing is related yet. */
export class Registry<C extends EngineContext = EngineContext> {
  readonly #types: ReadonlyMap<string, Resource<C>>;

  constructor(resources: readonly Resource<C>[]) {
    this.#types = new Map(resources.map((resource) => [resource.type, resource]));
  }

  get(type: string): Resource<C> | undefined {
    return this.#types.get(type);
  }

  all(): Resource<C>[] {
    return [...this.#types.values()];
  }
}
