/** Fetches what `include` names. */
import { targetsOf } from './declare.ts';
import { ApiError, errors } from './errors.ts';
import { mostIncluded } from './facts.ts';
import type { Linkage } from './linkage.ts';
import type { IncludeTree, Query } from './query-string.ts';
import type { EngineContext, Registry, Relationship, Resource } from './resource.ts';
import { columnsFor, selectByIds, selectRelated } from './select.ts';
import type { Row } from './sql.ts';

/** A fetched resource on its way to the document, with the linkage that `include` asked for. */
export interface Node {
  resource: Resource;
  row: Row;
  linkage: Map<string, Linkage | Linkage[] | null>;
}

export interface Fetched {
  primary: Node[];
  included: Node[];
}

export class TooManyIncluded extends ApiError {}

/** One request for included records, on its way through relationships and levels. */
interface Fetch {
  readonly context: EngineContext;
  readonly registry: Registry;
  readonly fields: Query['fields'];
  /** Every record that was found, by type and id. */
  readonly nodes: Map<string, Node>;
  readonly most: number;
  /** How many records it may still bring. */
  left: number;
  /** The version of the reference data; null if nothing of it is kept. */
  readonly referenceVersion: Promise<string> | null;
}

/** Fetches what `include` names: one statement per relationship and level, whatever the number of rows. */
export async function fetchIncluded(
  context: EngineContext,
  registry: Registry,
  resource: Resource,
  rows: Row[],
  query: Pick<Query, 'include' | 'fields'>,
  most = mostIncluded,
  referenceVersion: Promise<string> | null = null,
): Promise<Fetched> {
  const nodes = new Map<string, Node>();
  const primary = rows.map((row) => remember(nodes, resource, row));
  if (!query.include) return { primary, included: [] };
  await descend(
    { context, registry, fields: query.fields, nodes, most, left: most, referenceVersion },
    primary,
    query.include,
  );
  const included = new Set<Node>();
  collect(nodes, primary, query.include, included);
  for (const node of primary) included.delete(node);
  return { primary, included: [...included] };
}

/** Orders included records by the paths and the linkage, so that a repeated request gets the same bytes. */
function collect(
  nodes: ReadonlyMap<string, Node>,
  parents: Iterable<Node>,
  tree: IncludeTree,
  included: Set<Node>,
): void {
  for (const [name, below] of tree) {
    const children = new Set<Node>();
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

async function descend(fetch: Fetch, parents: Node[], tree: IncludeTree): Promise<void> {
  await Promise.all(
    [...tree].map(async ([name, below]) => {
      const owners = parents.filter((node) => Object.hasOwn(node.resource.relationships, name));
      const relationship = owners[0]?.resource.relationships[name];
      if (!relationship) return;
      const fetchAll = relationship.kind === 'many' ? fetchMany : fetchOne;
      const children = await fetchAll(fetch, owners, name, relationship, below);
      if (below.size > 0 && children.length > 0) await descend(fetch, children, below);
    }),
  );
}

/** Fetches a to-one relationship of many parents, links parents to children, and returns the children. */
async function fetchOne(
  fetch: Fetch,
  parents: Node[],
  name: string,
  relationship: Relationship,
  below: IncludeTree,
): Promise<Node[]> {
  for (const parent of parents) parent.linkage.set(name, linkOne(parent.row, name, relationship));
  const found = await Promise.all(
    targetsOf(relationship).map(async (type) => {
      const target = fetch.registry.get(type);
      const linked = parents.flatMap((parent) => parent.linkage.get(name) ?? []).filter((link) => link.type === type);
      if (!target || linked.length === 0) return [];
      const ids = [...new Set(linked.map((link) => link.id))];
      spend(fetch, ids.length, name, parents);
      const rows = await rowsByIds(fetch, target, ids, below);
      return rows.map((row) => remember(fetch.nodes, target, row));
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

/** From memory if it is reference data. */
async function rowsByIds(
  { context, fields, referenceVersion }: Fetch,
  target: Resource,
  ids: readonly string[],
  below: IncludeTree,
): Promise<Row[]> {
  const shown = fields.get(target.type);
  const load = (wanted: readonly string[]) => selectByIds(context, target, wanted, below, shown);
  if (!context.referenceRows || !referenceVersion || !isShared(target)) return load(ids);
  return context.referenceRows.read(referenceVersion, shapeOf(context, target, below, shown), ids, load);
}

/** What rows of reference data depend on, beside the data. */
function shapeOf(
  context: EngineContext,
  target: Resource,
  below: IncludeTree,
  shown: ReadonlySet<string> | undefined,
): string {
  const form = context.query === context.text?.query ? 'text' : 'values';
  return `${form} ${target.type} ${target.variant?.(context) ?? ''} ${columnsFor(target, below, shown)}`;
}

/** The same for a to-many relationship. */
async function fetchMany(
  fetch: Fetch,
  parents: Node[],
  name: string,
  relationship: Relationship,
  below: IncludeTree,
): Promise<Node[]> {
  const [type = ''] = targetsOf(relationship);
  const target = fetch.registry.get(type);
  const byOwner = new Map(parents.map((parent) => [String(parent.row.id), [] as Linkage[]]));
  for (const parent of parents) parent.linkage.set(name, byOwner.get(String(parent.row.id)) ?? []);
  if (!target || !(relationship.via || relationship.through)) return [];
  const rows = await rowsOfOwners(fetch, target, relationship, [...byOwner.keys()], below);
  spend(fetch, rows.length, name, parents);
  return rows.map((row) => {
    byOwner.get(String(row.owner))?.push({ type, id: String(row.id) });
    return remember(fetch.nodes, target, row);
  });
}

/** From memory if it is reference data that is found by a column of its own. */
async function rowsOfOwners(
  { context, fields, referenceVersion, left }: Fetch,
  target: Resource,
  relationship: Relationship,
  owners: readonly string[],
  below: IncludeTree,
): Promise<Row[]> {
  const shown = fields.get(target.type);
  // One more than allowed, to notice that there are too many.
  const load = (wanted: readonly string[]) =>
    selectRelated(context, target, relationship, wanted, below, shown, left + 1);
  if (!context.referenceRows || !referenceVersion || !isShared(target) || !relationship.via) return load(owners);
  const shape = `${relationship.via} ${shapeOf(context, target, below, shown)}`;
  return context.referenceRows.readRelated(referenceVersion, shape, owners, load, left + 1);
}

/** Refuses the request when it would bring more than it may. */
function spend(fetch: Fetch, records: number, name: string, parents: Node[]): void {
  fetch.left -= records;
  if (fetch.left >= 0) return;
  throw new TooManyIncluded([errors.tooManyIncluded(name, parents[0]?.resource.type ?? '', fetch.most)]);
}

function linkOne(row: Row, name: string, relationship: Relationship): Linkage | null {
  const id = row[`→${name}`];
  if (id === null || id === undefined) return null;
  const [only = ''] = targetsOf(relationship);
  return { type: relationship.typeColumn ? String(row[`→${name}.type`]) : only, id: String(id) };
}

/** Each record is in the document once, however many paths lead to it. */
function remember(nodes: Map<string, Node>, resource: Resource, row: Row): Node {
  const key = `${resource.type}/${row.id}`;
  const known = nodes.get(key);
  if (known) {
    // A new object: rows of reference data are shared between requests.
    known.row = { ...known.row, ...row };
    return known;
  }
  const node = { resource, row, linkage: new Map() };
  nodes.set(key, node);
  return node;
}

/** Whether every caller of one variant gets the same rows. */
const isShared = ({ reference, from, visible, scope, variant }: Resource): boolean =>
  reference === true &&
  scope !== 'account' &&
  (typeof from === 'string' || variant !== undefined) &&
  visible === undefined;

/** Whether a path of `include` leads to such rows. */
export function includesShared(registry: Registry, resource: Resource, tree: IncludeTree): boolean {
  return [...tree].some(([name, below]) => {
    const relationship = Object.hasOwn(resource.relationships, name) ? resource.relationships[name] : undefined;
    if (!relationship) return false;
    return targetsOf(relationship).some((type) => {
      const target = registry.get(type);
      if (!target) return false;
      const isKept = relationship.kind === 'one' || relationship.via !== undefined;
      return (isKept && isShared(target)) || includesShared(registry, target, below);
    });
  });
}
