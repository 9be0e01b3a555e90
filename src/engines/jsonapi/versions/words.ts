/** Values that an older version spelled differently. */
import type { Attribute, Facts, Meanings } from '../facts.ts';
import type { Filter } from '../filters.ts';
import type { Relationship, Resource } from '../resource.ts';
import { type Change, changed, mapEntries } from './change.ts';
import { requireMember, unknown } from './members.ts';

/** The newer spelling → the older one; null: the older version did not have the value. Others are the same. */
type Words = Readonly<Record<string, string | null>>;

/** The values of an attribute, or of the entries of a list, were other words, and so were those of its filter. */
export const wordsWere = (type: string, name: string, words: Words): Change => ({
  type,
  change: (newer) => {
    requireMember(newer, name);
    const speak = speaker(words);
    const { attributes, relationships, filters } = newer;
    const conditions = <T extends Partial<Facts> | Relationship>(each: T): T => conditionsWere(each, name, speak);
    return changed(
      newer,
      {
        attributes: mapEntries(attributes, (each, attribute) => {
          const facts = conditions(attribute.facts);
          return [[each, each === name ? spoken({ ...attribute, facts }, speak) : { ...attribute, facts }]];
        }),
        relationships: mapEntries(relationships, (each, relationship) => [[each, conditions(relationship)]]),
        filters: mapEntries(filters, (each, filter) => [
          [each, each === name && filter.enum ? spokenFilter(filter, speak) : filter],
        ]),
      },
      {
        input: ({ attributes: sent, relationships: linked }) => ({
          attributes: Object.hasOwn(sent, name) ? { ...sent, [name]: speak.toNew(sent[name]) } : sent,
          relationships: linked,
        }),
      },
    );
  },
});

/** The words of one filter were others; those of the attributes are not its type's own. */
export const filterWordsWere = (type: string, name: string, words: Words): Change => ({
  type,
  change: (newer: Resource) => {
    const filter = newer.filters[name];
    if (!filter?.enum) throw unknown(newer, name);
    return changed(newer, { filters: { ...newer.filters, [name]: spokenFilter(filter, speaker(words)) } });
  },
});

/** For words that only their first letter tells apart: `pending` was `Pending`. */
export const capitalised = (...words: readonly string[]): Words =>
  Object.fromEntries(words.map((word) => [word, word.charAt(0).toUpperCase() + word.slice(1)]));

interface Speaker {
  /** The older words of these, each once. */
  words: <T extends string | number>(newer: readonly T[]) => T[];
  meanings: (newer: Meanings) => Meanings;
  /** A value or a list of them, in the older spelling; a single value that was not there is null. */
  toOld: (value: unknown) => unknown;
  toNew: (value: unknown) => unknown;
  /** The newer spelling of an older word; null if the older version does not have it. */
  newWord: (word: string) => string | null;
}

function speaker(words: Words): Speaker {
  const oldOf = (word: unknown): unknown =>
    typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : word;
  const newOf = new Map<unknown, string>();
  for (const [word, old] of Object.entries(words)) if (old !== null && !newOf.has(old)) newOf.set(old, word);
  const all = (newer: readonly unknown[]) => [...new Set(newer.map(oldOf))].filter((word) => word !== null);
  const back = (word: unknown): unknown => newOf.get(word) ?? word;
  return {
    words: <T>(newer: readonly T[]) => all(newer) as T[],
    meanings: (newer) =>
      Object.fromEntries(
        Object.entries(newer)
          .flatMap(([word, meaning]) => {
            const old = oldOf(word);
            return typeof old === 'string' ? [[old, meaning] as const] : [];
          })
          .reverse(),
      ),
    toOld: (value) => (Array.isArray(value) ? all(value) : oldOf(value)),
    toNew: (value) => (Array.isArray(value) ? value.map(back) : back(value)),
    newWord: (word) => newOf.get(word) ?? (Object.hasOwn(words, word) ? null : word),
  };
}

function spoken(attribute: Attribute, speak: Speaker): Attribute {
  const { facts, decode } = attribute;
  const known = ({ enum: values, meanings }: Pick<Facts, 'enum' | 'meanings'>) => ({
    ...(values ? { enum: speak.words(values) } : {}),
    ...(meanings ? { meanings: speak.meanings(meanings) } : {}),
  });
  return {
    ...attribute,
    facts: {
      ...facts,
      ...known(facts),
      ...(facts.items ? { items: { ...facts.items, ...known(facts.items) } } : {}),
      ...(facts.default === undefined ? {} : { default: speak.toOld(facts.default) }),
    },
    decode: (stored: never, viewer) => speak.toOld(decode ? decode(stored, viewer) : stored),
  };
}

function spokenFilter(filter: Filter, speak: Speaker): Filter {
  const isList = filter.facts.list === true || filter.facts.match === 'all';
  return {
    ...filter,
    ...(filter.enum ? { enum: speak.words(filter.enum) } : {}),
    ...(filter.meanings ? { meanings: speak.meanings(filter.meanings) } : {}),
    parse: (text) => {
      const words = (isList ? text.split(',') : [text]).map(speak.newWord);
      return words.includes(null) ? null : filter.parse(words.join());
    },
  };
}

/** A condition on the attribute, such as `requiredIf`, as the older version reads it. */
function conditionsWere<T extends Partial<Facts> | Relationship>(declared: T, name: string, speak: Speaker): T {
  const named = (['requiredIf', 'forbiddenIf', 'trueOnlyIf'] as const).flatMap((rule) => {
    const condition = rule in declared ? (declared as Partial<Facts>)[rule] : undefined;
    return condition && Object.hasOwn(condition, name)
      ? [[rule, { ...condition, [name]: speak.toOld(condition[name]) }] as const]
      : [];
  });
  return named.length === 0 ? declared : { ...declared, ...Object.fromEntries(named) };
}
