/** Fetches what `include` names. */
import { targetsOf } from './declare.ts';
import { ApiError, errors } from './errors.ts';
import { mostIncluded } from './facts.ts';
import type { Linkage } from './linkage.ts';
import type { IncludeTree, Query } from './query-string.ts';
import type { EngineContext, Registry, Relationship, Resource } from './resource.ts';
import { selectByIds, selectRelated } from './select.ts';
import type { Row } from './sql.ts';

/** A fetched resource on its way to the document, with the linkage that `include` asked for. */
export interface Node<C extends EngineContext = EngineContext> {
  resource: Resource<C>;
  row: Row;
  linkage: Map<string, Linkage | Linkage[] | null>;
}

export interface Fetched<C extends EngineContext> {
  primary: Node<C>[];
  included: Node<C>[];
}

export class TooManyIncluded extends ApiError {}

/** How many records one `include` may still fetch, over all relationships and levels. */
interface Budget {
  readonly most: number;
  left: number;
}

/** Fetches what `include` names: one statement per relationship and level, whatever the number of rows. */
export async function fetchIncluded<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  rows: Row[],
  query: Pick<Query, 'include' | 'fields'>,
  most = mostIncluded,
): Promise<Fetched<C>> {
  const nodes = new Map<string, Node<C>>();
  const primary = rows.map((row) => remember(nodes, resource, row));
  if (!query.include) return { primary, included: [] };
  await descend(context, registry, nodes, primary, query.include, query.fields, { most, left: most });
  const included = new Set<Node<C>>();
  collect(nodes, primary, query.include, included);
  for (const node of primary) included.delete(node);
  return { primary, included: [...included] };
}

/** Orders included records by the paths and the linkage, so that a repeated request gets the same bytes. */
function collect<C extends EngineContext>(
  nodes: ReadonlyMap<string, Node<C>>,
  parents: Iterable<Node<C>>,
  tree: IncludeTree,
  included: Set<Node<C>>,
): void {
  for (const [name, below] of tree) {
    const children = new Set<Node<C>>();
    for (const parent of parents) {
      const linkage = parent.linkage.get(name) ?? [];
      for (const { type, id } of Array.isArray(linkage) ? linkage : [linkage]) {
        const child = nodes.get(`${type}/${id}`);
        if (!child) continue;
        included.add(child);
        children.add(child);
      }
    }
    if (below.size > 0) collect(nodes, children, below, included);
  }
}

async function descend<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  nodes: Map<string, Node<C>>,
  parents: Node<C>[],
  tree: IncludeTree,
  fields: Query['fields'],
  budget: Budget,
): Promise<void> {
  await Promise.all(
    [...tree].map(async ([name, below]) => {
      const owners = parents.filter((node) => Object.hasOwn(node.resource.relationships, name));
      const children = await fetchRelationship(context, registry, nodes, owners, name, below, fields, budget);
      if (below.size > 0 && children.length > 0)
        await descend(context, registry, nodes, children, below, fields, budget);
    }),
  );
}

/** Fetches one relationship of many parents, links parents to children, and returns the children. */
async function fetchRelationship<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  nodes: Map<string, Node<C>>,
  parents: Node<C>[],
  name: string,
  below: IncludeTree,
  fields: Query['fields'],
  budget: Budget,
): Promise<Node<C>[]> {
  const relationship = parents[0]?.resource.relationships[name];
  if (!relationship) return [];
  if (relationship.kind === 'many')
    return fetchMany(context, registry, nodes, parents, name, relationship, below, fields, budget);

  for (const parent of parents) parent.linkage.set(name, linkOne(parent.row, name, relationship));
  const found = await Promise.all(
    targetsOf(relationship).map(async (type) => {
      const target = registry.get(type);
      const linked = parents.flatMap((parent) => parent.linkage.get(name) ?? []).filter((link) => link.type === type);
      if (!target || linked.length === 0) return [];
      const ids = [...new Set(linked.map((link) => link.id))];
      spend(budget, ids.length, name, parents);
      const rows = await selectByIds(context, target, ids, below, fields.get(type));
      return rows.map((row) => remember(nodes, target, row));
    }),
  );
  const children = found.flat();
  // A link to a record that does not exist for this caller is shown as null.
  const present = new Set(children.map((child) => String(child.row.id)));
  for (const parent of parents) {
    const link = parent.linkage.get(name);
    if (link && !Array.isArray(link) && !present.has(link.id)) parent.linkage.set(name, null);
  }
  return children;
}

async function fetchMany<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  nodes: Map<string, Node<C>>,
  parents: Node<C>[],
  name: string,
  relationship: Relationship,
  below: IncludeTree,
  fields: Query['fields'],
  budget: Budget,
): Promise<Node<C>[]> {
  const [type = ''] = targetsOf(relationship);
  const target = registry.get(type);
  const byOwner = new Map(parents.map((parent) => [String(parent.row.id), [] as Linkage[]]));
  for (const parent of parents) parent.linkage.set(name, byOwner.get(String(parent.row.id)) ?? []);
  if (!target || !(relationship.via || relationship.through)) return [];
  const owners = [...byOwner.keys()];
  // One more than allowed, to notice that there are too many.
  const rows = await selectRelated(context, target, relationship, owners, below, fields.get(type), budget.left + 1);
  spend(budget, rows.length, name, parents);
  return rows.map((row) => {
    byOwner.get(String(row.owner))?.push({ type, id: String(row.id) });
    return remember(nodes, target, row);
  });
}

/** Refuses the request when it would bring more than it may. */
function spend<C extends EngineContext>(budget: Budget, records: number, name: string, parents: Node<C>[]): void {
  budget.left -= records;
  if (budget.left >= 0) return;
  throw new TooManyIncluded([errors.tooManyIncluded(name, parents[0]?.resource.type ?? '', budget.most)]);
}

function linkOne(row: Row, name: string, relationship: Relationship): Linkage | null {
  const id = row[`→${name}`];
  if (id === null || id === undefined) return null;
  const [only = ''] = targetsOf(relationship);
  return { type: relationship.typeColumn ? String(row[`→${name}.type`]) : only, id: String(id) };
}

/** Each record is in the document once, however many paths lead to it. */
function remember<C extends EngineContext>(nodes: Map<string, Node<C>>, resource: Resource<C>, row: Row): Node<C> {
  const key = `${resource.type}/${row.id}`;
  const known = nodes.get(key);
  if (known) {
    Object.assign(known.row, row);
    return known;
  }
  const node = { resource, row, linkage: new Map() };
  nodes.set(key, node);
  return node;
}
