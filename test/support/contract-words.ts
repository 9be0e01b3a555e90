/** A declaration in the form of the contract's `types.json`, so that the two can be compared. */
import { trimmedDecimal } from '../../src/engines/jsonapi/attributes.ts';
import type { Facts, ItemFacts } from '../../src/engines/jsonapi/facts.ts';
import type { Filter, FilterFacts } from '../../src/engines/jsonapi/filters.ts';
import type { EngineContext, Relationship, Resource } from '../../src/engines/jsonapi/resource.ts';
import { Params } from '../../src/engines/jsonapi/sql.ts';
import { pageSizes } from '../../src/interfaces/platform/v3/routes.ts';

export function describeType<C extends EngineContext>(resource: Resource<C>): Record<string, unknown> {
  const status = { list: 200, read: 200, create: 201, update: 200, delete: 204 };
  const { endpoints } = resource;
  const exposed = Object.entries(status).filter(([name]) => endpoints[name as keyof typeof status]);
  return {
    path: resource.path,
    endpoints: Object.fromEntries(exposed),
    paginated: resource.paginated && endpoints.list,
    page_default: resource.paginated && endpoints.list ? pageSizes.default : null,
    page_max: resource.paginated && endpoints.list ? (resource.maxPageSize ?? pageSizes.max) : null,
    scope: resource.scope,
    attributes: mapValues(resource.attributes, ({ facts }) => snake(facts)),
    relationships: mapValues(resource.relationships, describeRelationship),
    meta: mapValues(resource.meta, ({ type }) => type),
    collection_meta: endpoints.list ? ['total_records', ...Object.keys(resource.collectionMeta)] : [],
    filters: mapValues(resource.filters, describeFilter),
    sort: Object.keys(resource.sort),
    default_sort: resource.defaultSort,
    include: Object.keys(resource.relationships).filter((name) => !resource.relationships[name]?.writeOnly),
    relationship_endpoints: resource.relationshipEndpoints,
    ...(Object.keys(resource.readMeta).length > 0 ? { read_meta: Object.keys(resource.readMeta) } : {}),
    ...(resource.sortAliases ? { sort_aliases: resource.sortAliases } : {}),
    ...(resource.metaWhen ? { meta_when: resource.metaWhen } : {}),
    ...(resource.singleton ? { singleton: true } : {}),
    ...(resource.exactlyOneOf ? { exactly_one_of: resource.exactlyOneOf } : {}),
    ...(resource.atLeastOneOf ? { at_least_one_of: resource.atLeastOneOf } : {}),
  };
}

function describeRelationship(relationship: Relationship): Record<string, unknown> {
  const {
    column: _c,
    typeColumn: _t,
    via: _v,
    through: _h,
    checked: _k,
    problem: _p,
    unique: _u,
    doc: _d,
    noun: _n,
    ...shown
  } = relationship;
  return snake(shown);
}

const describeFilter = ({ facts, where }: Filter): Record<string, unknown> => ({
  ...snake(facts),
  ...(where([], new Params(), new Date(0)) === 'true' ? { ignored: true } : {}),
});

/** The facts of one value, as the contract writes them. */
export const describeFacts = (facts: Facts): Record<string, unknown> => snake(facts);

/** Explanations and our own bounds, which the contract has none of. */
const notInContract = new Set([
  'doc',
  'meanings',
  'features',
  'objectLimit',
  'textLimit',
  'sameType',
  'atMostOneOf',
  'oneLine',
  'patternOfRequests',
  'secret',
]);

/** camelCase members as snake_case, absent ones left out. */
function snake(value: Facts | FilterFacts | ItemFacts | object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== undefined && !notInContract.has(name))
      .map(([name, member]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        name === 'items'
          ? snake(member as object)
          : isBoundOfMoney(value, name)
            ? trimmedDecimal(String(member))
            : member,
      ]),
  );
}

/** Money is written as text, its bounds too. */
const isBoundOfMoney = (value: object, name: string): boolean =>
  'type' in value && value.type === 'decimal' && (name === 'min' || name === 'max');

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
