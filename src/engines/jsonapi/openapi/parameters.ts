/** The query parameters of a type. */
import type { Parameter, Reference, Schema } from '../../openapi/types.ts';
import { mostFilterValues } from '../facts.ts';
import type { Filter } from '../filters.ts';
import { deepestInclude } from '../query.ts';
import type { Registry, Resource } from '../resource.ts';
import { reachableTypes } from './documents.ts';
import { readableRelationships } from './resources.ts';
import { nounsOf } from './titles.ts';

/** `page[number]` and `page[size]`, by component name. */
export const pageParameters = (
  sizes: PageSizes,
  resources: readonly Resource[],
): Readonly<Record<string, Parameter>> => ({
  page_number: {
    name: 'page[number]',
    in: 'query',
    description: 'The page to answer, counted from 1. A page past the end is empty.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  ...Object.fromEntries(
    resources.map((resource) => [
      pageSizeName(resource),
      pageSize({ ...sizes, max: resource.maxPageSize ?? sizes.max }),
    ]),
  ),
});

interface PageSizes {
  default: number;
  max: number;
}

/** An operator may raise the maximum for an account, which a schema for everyone cannot say. */
const pageSize = (sizes: PageSizes): Parameter => ({
  name: 'page[size]',
  in: 'query',
  description: `Records on a page: at most ${sizes.max}, unless the account has a raised maximum.`,
  schema: { type: 'integer', minimum: 1, maximum: sizes.max, default: sizes.default },
});

/** Types with the same largest page share a component. */
const pageSizeName = ({ maxPageSize }: Resource): string =>
  maxPageSize === undefined ? 'page_size' : `page_size_${maxPageSize}`;

/** A longer one is refused. */
export const longestIdempotencyKey = 255;

export const idempotencyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A key of your own, for 24 hours: the same request sent again with it is not done again, and is answered as the first time. Another request with it is 422. One that was refused does not use its key up.',
  schema: { type: 'string', maxLength: longestIdempotencyKey },
};

export const idempotencyParameterName = 'idempotency_key';

export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string', format: 'uuid' },
};

/** `include` and `fields[type]`, which single documents take too. */
export function shapeParameters(resource: Resource): (Parameter | Reference)[] {
  return [...includeParameter(resource), parameterRef(fieldsName(resource.type))];
}

/** The one parameter that every operation on a type shares; it would fill the document otherwise. */
export const fieldsName = (type: string): string => `fields_${type}`;

export function listParameters(resource: Resource): (Parameter | Reference)[] {
  return [
    ...Object.entries(resource.filters).map(([name, filter]) => filterParameter(resource, name, filter)),
    ...sortParameter(resource),
    ...(resource.paginated ? ['page_number', pageSizeName(resource)].map(parameterRef) : []),
    ...shapeParameters(resource),
  ];
}

const commaList = { style: 'form', explode: false } as const;

function includeParameter(resource: Resource): Parameter[] {
  const names = Object.keys(readableRelationships(resource));
  if (names.length === 0) return [];
  return [
    {
      name: 'include',
      in: 'query',
      description: `Related records to send along: ${names.map((name) => `\`${name}\``).join(', ')}, and dotted paths from there on, up to ${deepestInclude} levels deep.`,
      schema: { type: 'array', items: { type: 'string' } },
      ...commaList,
    },
  ];
}

export function fieldsParameter(registry: Registry, resource: Resource): Parameter {
  const types = [...new Set([resource.type, ...reachableTypes(registry, resource)])];
  const lists = types.map((type): [string, Schema] => {
    const { attributes = {}, relationships = {} } = registry.get(type) ?? {};
    return [
      type,
      { type: 'string', description: ['id', ...Object.keys({ ...attributes, ...relationships })].join(', ') },
    ];
  });
  return {
    name: 'fields',
    in: 'query',
    description: 'Per type, a comma list of the attributes and relationships to send; an empty value sends none.',
    schema: { type: 'object', properties: Object.fromEntries(lists), additionalProperties: false },
    style: 'deepObject',
    explode: true,
  };
}

function sortParameter(resource: Resource): Parameter[] {
  const keys = Object.keys(resource.sort);
  if (keys.length === 0) return [];
  const usual = resource.defaultSort ? ` Without it: \`${resource.defaultSort}\`.` : '';
  const aliases = Object.entries(resource.sortAliases ?? {}).map(
    ([alias, key]) => ` \`${alias}\` is the old name of \`${key}\`.`,
  );
  return [
    {
      name: 'sort',
      in: 'query',
      description: `Keys in order of weight; \`-\` before a key turns its order round.${usual}${aliases.join('')}`,
      schema: { type: 'array', items: { type: 'string', enum: keys.flatMap((key) => [key, `-${key}`]) } },
      ...commaList,
    },
  ];
}

function filterParameter(resource: Resource, name: string, filter: Filter): Parameter {
  const value = valueSchema(filter);
  return {
    name: `filter[${name}]`,
    in: 'query',
    description: `${explainFilter(resource, name) ?? ''} ${describeFilter(filter)}`.trim(),
    ...(filter.facts.aliasOf ? { deprecated: true } : {}),
    ...(filter.facts.list
      ? { schema: { type: 'array', items: value, maxItems: mostFilterValues }, ...commaList }
      : { schema: value }),
  };
}

function valueSchema({ facts, enum: words, meanings, format }: Filter): Schema {
  if (facts.match === 'boolean') return { type: 'boolean' };
  if (facts.value === 'integer') return { type: 'integer' };
  if (facts.value === 'datetime') return { type: 'string', format: 'date-time' };
  if (facts.value === 'date') return { type: 'string', format: 'date' };
  return {
    type: 'string',
    ...(words ? { enum: words } : {}),
    ...(meanings ? { 'x-enumDescriptions': meanings } : {}),
    ...(format ? { format } : {}),
    ...(facts.minLength !== undefined && !facts.minLengthWaivedBy ? { minLength: facts.minLength } : {}),
  };
}

/** What a filter is about: its own line, or that of the attribute or relationship it is named after. */
export function explainFilter(resource: Resource, name: string): string | undefined {
  const filter = resource.filters[name];
  if (filter?.doc) return filter.doc;
  if (name === 'id') return `The ids of ${nounsOf(resource).many}.`;
  const alias = filter?.facts.aliasOf;
  if (alias) return explainFilter(resource, alias);
  const attribute = resource.attributes[name] ?? resource.attributes[name.replace(operatorSuffix, '')];
  if (attribute) return attribute.facts.doc;
  return resource.relationships[name.replace(/\.id$/, '')]?.doc;
}

const operatorSuffix = /_(contains|gteq|lteq|in)$/;

const matchTexts: Readonly<Record<Filter['facts']['match'], string>> = {
  exact: 'Exactly this value.',
  all: 'All of these, comma separated.',
  contains: 'The value contains this text.',
  boolean: '`true` or `false`.',
  gteq: 'At least this value.',
  lteq: 'At most this value.',
};

function describeFilter({ facts }: Filter): string {
  const waivers = facts.minLengthWaivedBy?.map((name) => `\`filter[${name}]\``).join(', ');
  return [
    facts.match === 'exact' && facts.list ? 'Any of these, comma separated.' : matchTexts[facts.match],
    facts.caseInsensitive ? 'Upper and lower case count as the same.' : '',
    facts.blank ? 'An empty value finds records that have none.' : '',
    facts.value === 'datetime' ? 'A date, or a date and time; UTC unless it has an offset.' : '',
    facts.round === 'end_of_day' ? 'Reaches to the end of that day.' : '',
    facts.maxAgeDays !== undefined ? `Within the last ${facts.maxAgeDays} days.` : '',
    facts.minLength !== undefined
      ? `At least ${facts.minLength} characters${waivers ? `, unless one of ${waivers} is sent` : ''}.`
      : '',
    facts.aliasOf ? `Old name of \`filter[${facts.aliasOf}]\`.` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

export const versionParameter = (header: string, versions: readonly string[]): Parameter => ({
  name: header,
  in: 'header',
  description: `The version of the interface: ${versions.join(', ')}. Any of them serves the request. Without the header, or with a version that is not known, the account's own serves.`,
  schema: { type: 'string', examples: versions.slice(-1) },
});
