/** The types of every older version, made of the newest declarations and the changes since. */
import { targetsOf } from '../declare.ts';
import type { Linkage, ToManyInput } from '../linkage.ts';
import { Registry, type Resource, type WriteInput } from '../resource.ts';
import { type Change, changed, inProblems, mapEntries, otherWord } from './change.ts';

/** A version, and what it differs in from the next newer one. */
export interface OlderVersion {
  version: string;
  changes: readonly Change[];
}

/** `history` begins with the newest of the older versions. */
export function olderRegistries(newest: Registry, history: readonly OlderVersion[]): Map<string, Registry> {
  const registries = new Map<string, Registry>();
  /** By their newest names, which also stand in them until a version is finished. */
  const types = new Map(newest.all().map((resource) => [resource.type, resource]));
  const names = new Map<string, string>();
  for (const { version, changes } of history) {
    for (const { type, change, typeName } of changes) {
      const newer = types.get(type);
      if (!newer) throw new Error(`a change of ${version} names the type ${type}, which is not there`);
      const older = change(newer);
      if (older === null) types.delete(type);
      else types.set(type, older);
      if (typeName !== undefined) names.set(type, typeName);
    }
    const words = new Names(types, names);
    registries.set(version, new Registry([...types.values()].map((resource) => finished(resource, words))));
  }
  return registries;
}

/** What types are called in one version. */
class Names {
  readonly #types: ReadonlyMap<string, Resource>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #newest: ReadonlyMap<string, string>;
  readonly problem: ReturnType<typeof inProblems>;

  constructor(types: ReadonlyMap<string, Resource>, names: ReadonlyMap<string, string>) {
    this.#types = types;
    this.#names = new Map(names);
    this.#newest = new Map([...names].map(([newest, name]) => [name, newest]));
    const renames = [...names].map(([newest, name]) => otherWord(newest, name));
    this.problem = inProblems((text) => renames.reduce((renamed, rename) => rename(renamed), text));
  }

  isKnown(type: string): boolean {
    return this.#types.has(type);
  }

  of(type: string): string {
    return this.#names.get(type) ?? type;
  }

  newest(link: Linkage): Linkage {
    const type = this.#newest.get(link.type);
    return type === undefined ? link : { ...link, type };
  }
}

/**
 * The type with the names of one version: what leads to a type that the version does not have is not there either. A
 * type in which nothing differs is the newer one itself.
 */
function finished(resource: Resource, names: Names): Resource {
  const { type, path, filters, sort } = resource;
  const relationships = mapEntries(resource.relationships, (name, relationship) => {
    const targets = targetsOf(relationship);
    const known = targets.filter((target) => names.isKnown(target));
    if (known.length === 0) return [];
    const target = known.map((each) => names.of(each));
    if (target.join() === targets.join()) return [[name, relationship]];
    if (relationship.typeColumn) throw new Error(`${name} of ${type} leads to several types, one of which is renamed`);
    return [[name, { ...relationship, target: typeof relationship.target === 'string' ? (target[0] ?? '') : target }]];
  });
  const isGone = (name: string) => {
    const [head = '', ...rest] = name.split('.');
    return rest.length > 0 && Object.hasOwn(resource.relationships, head) && !Object.hasOwn(relationships, head);
  };
  const members = {
    relationships,
    filters: mapEntries(filters, (name, filter) => {
      const { reads } = filter;
      if (isGone(name) || reads?.some((each) => !names.isKnown(each))) return [];
      const isSame = reads === undefined || reads.every((each) => names.of(each) === each);
      return [[name, isSame ? filter : { ...filter, reads: reads.map((each) => names.of(each)) }]];
    }),
    sort: mapEntries(sort, (name, column) => (isGone(name) ? [] : [[name, column]])),
    type: names.of(type),
    path: path === `/${type}` ? `/${names.of(type)}` : path,
  };
  const isSame =
    resource.older === undefined &&
    members.type === type &&
    isEqual(relationships, resource.relationships) &&
    isEqual(members.filters, filters) &&
    isEqual(members.sort, sort);
  return isSame
    ? resource
    : changed(resource, members, { input: (input) => linked(input, names), problem: names.problem });
}

/** The links of an input with the newest names of their types. */
const linked = ({ attributes, relationships }: WriteInput, names: Names): WriteInput => ({
  attributes,
  relationships: mapEntries(relationships, (name, sent): [string, Linkage | ToManyInput | null][] => {
    if (sent === null) return [[name, null]];
    if (Array.isArray(sent)) return [[name, sent.map((link) => names.newest(link))]];
    return [[name, 'id' in sent ? names.newest(sent) : sent]];
  }),
});

function isEqual<T>(one: Readonly<Record<string, T>>, other: Readonly<Record<string, T>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
