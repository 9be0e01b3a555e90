/**
 * What operations are called: "Create an order", "List the regions of a country". Made of the nouns of the
 * declarations.
 */
import { targetsOf } from '../declare.ts';
import type { Registry, Relationship, Resource } from '../resource.ts';

interface Nouns {
  one: string;
  many: string;
}

/** The words for a type; without a noun of its own they are read off its name. */
export function nounsOf({ noun, type }: Pick<Resource, 'noun' | 'type'>): Nouns {
  if (noun === undefined) return { one: singularOf(wordsOf(type)), many: wordsOf(type) };
  if (typeof noun === 'string') return { one: noun, many: pluralOf(noun) };
  return { one: noun[0], many: noun[1] };
}

/** "an order", "a country"; a singleton is "the balance". */
export function oneOf(resource: Resource): string {
  const { one } = nounsOf(resource);
  return resource.singleton ? `the ${one}` : withArticle(one);
}

const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

export interface RelationshipTitles {
  related: string;
  linkage: string;
  replace: string;
  add: string;
  remove: string;
}

export function relationshipTitles(
  registry: Registry,
  resource: Resource,
  name: string,
  relationship: Relationship,
): RelationshipTitles {
  const other = relatedNoun(registry, name, relationship);
  const one = oneOf(resource);
  const isMany = relationship.kind === 'many';
  return {
    related: `${isMany ? 'List' : 'Get'} the ${other} of ${one}`,
    linkage: `Get the ${isMany ? 'ids' : 'id'} of the ${other} of ${one}`,
    replace: `${isMany ? 'Replace' : relationship.nullOnly ? 'Detach' : 'Set'} the ${other} of ${one}`,
    add: `Add ${other} to ${one}`,
    remove: `Remove ${other} from ${one}`,
  };
}

/** The noun of the related type where the relationship bears its name, else the relationship's own name in words. */
function relatedNoun(registry: Registry, name: string, relationship: Relationship): string {
  if (relationship.noun) return relationship.noun;
  const [target = '', ...others] = targetsOf(relationship);
  const resource = registry.get(target);
  const bearsItsName = others.length === 0 && (target === name || target === pluralOf(name));
  if (!resource || !bearsItsName) return wordsOf(name);
  const { one, many } = nounsOf(resource);
  return relationship.kind === 'many' ? many : one;
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

const singularOf = (words: string): string => words.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
