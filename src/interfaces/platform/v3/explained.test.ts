/** Every member of the API reference is explained. */
import { expect, describe as group, test } from 'vitest';
import type { Facts, ItemFacts } from '../../../engines/jsonapi/facts.ts';
import { explainFilter } from '../../../engines/jsonapi/openapi/parameters.ts';
import type { PlatformResource } from '../declare.ts';
import { resources } from './resources.ts';

/** Every name that the API reference shows has a line about what it means, in the declaration it belongs to. */
group('the declarations explain', () => {
  test.each(resources.map((resource) => [resource.type, resource] as const))('%s', (_type, resource) => {
    expect(unexplained(resource)).toEqual([]);
  });
});

function unexplained(resource: PlatformResource): string[] {
  const { attributes, relationships, meta, filters, collectionMeta, readMeta, metaDocs = {} } = resource;
  return [
    ...(resource.summary ? [] : ['summary']),
    ...(resource.noun || resource.title ? [] : ['noun or title']),
    ...Object.entries(attributes).flatMap(([name, { facts, objectTypes = {}, members = {} }]) => [
      ...valueGaps(name, facts),
      ...Object.entries(members).flatMap(([member, each]) => valueGaps(`${name}.${member}`, each)),
      ...Object.entries(objectTypes).flatMap(([type, object]) =>
        Object.entries(object).flatMap(([member, each]) => valueGaps(`${type}.${member}`, each)),
      ),
    ]),
    ...Object.keys(relationships).filter((name) => !isSentence(relationships[name]?.doc)),
    ...Object.keys(meta).filter((name) => !isSentence(meta[name]?.doc)),
    ...Object.keys({ ...collectionMeta, ...readMeta }).filter((name) => !isSentence(metaDocs[name])),
    ...Object.entries(filters).flatMap(([name, filter]) => [
      ...(isSentence(explainFilter(resource, name)) ? [] : [`filter[${name}]`]),
      ...meaningGaps(`filter[${name}]`, filter),
    ]),
  ];
}

function valueGaps(name: string, facts: Facts): string[] {
  return [
    ...(isSentence(facts.doc) ? [] : [name]),
    ...meaningGaps(name, facts),
    ...(facts.items ? meaningGaps(name, facts.items) : []),
  ];
}

function meaningGaps(
  name: string,
  { enum: words = [], meanings = {} }: Pick<ItemFacts, 'enum' | 'meanings'>,
): string[] {
  return words.filter((word) => !meanings[word]).map((word) => `${name}: ${word}`);
}

/** One line that begins like one and ends like one. */
const isSentence = (text: string | undefined): boolean => text !== undefined && /^[A-Z`].*\.$/.test(text);
