import { checkLinks, checkNamed } from './check-links.ts';
import { couldBeId, targetsOf } from './declare.ts';
import { actionDocument, collectionDocument, linkageDocument, singleDocument } from './document.ts';
import { ApiError, errors, throwAny } from './errors.ts';
import { mostLinkage } from './facts.ts';
import type { Document } from './linkage.ts';
import { parseBody } from './parse-body.ts';
import { parseQuery } from './query.ts';
import type { Query, RawQuery } from './query-string.ts';
import { fetchIncluded, type Node, TooManyIncluded } from './related.ts';
import type { AnswerNow, EngineContext, Page, Registry, Relationship, Resource } from './resource.ts';
import { checkRules, membersForRules } from './rules.ts';
import { selectByIds, selectOne, selectPage } from './select.ts';
import type { Params, Row } from './sql.ts';
import { type StoredOperation, withRefusals } from './store.ts';

/** Each operation of the interface as one function: a context and a request in, a document out. */

/** How the client itself put it, before an older version's words were translated: page links repeat that. */
export interface Asked {
  path: string;
  query: RawQuery;
}

export async function listDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  raw: RawQuery,
  asked: Asked,
): Promise<Document> {
  resource.guard?.(context, 'list');
  const query = parseQuery(registry, resource, raw, context, true);
  await checkNamed(context, registry, query);
  const page = await selectPage(context, resource, query);
  const fetched = await fetchIncluded(context, registry, resource, page.rows, query);
  return collectionDocument(
    context,
    asked.path,
    fetched,
    { ...query, raw: asked.query },
    page.total,
    await metaOf(context, resource, page),
  );
}

export async function readDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  raw: RawQuery,
): Promise<Document> {
  resource.guard?.(context, 'read');
  const query = parseQuery(registry, resource, raw, context, false);
  const meta: Record<string, unknown> = {};
  for (const [name, compute] of Object.entries(resource.readMeta)) meta[name] = await compute(context);
  return readBack(context, registry, resource, id, query, meta);
}

export async function createDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  raw: RawQuery,
  body: unknown,
): Promise<Document> {
  resource.guard?.(context, 'create');
  const query = parseQuery(registry, resource, raw, context, false);
  const input = parseBody(context, resource, body, null);
  await checkLinks(context, registry, resource, input);
  await checkRules(context, resource, input, null);
  const answered = await resource.repeated?.find(context, input);
  if (answered) return answered;
  const create = workflowOf(resource, 'create');
  const now = answerNow(context, registry, resource, query);
  const id = await withRefusals(resource, () => create(context, input, now.answer));
  if (!resource.stored) return actionDocument(context, resource.type, id);
  const document = now.document() ?? (await readWritten(context, registry, resource, id, query));
  await resource.repeated?.remember(context, document);
  return document;
}

export async function updateDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  raw: RawQuery,
  body: unknown,
): Promise<Document> {
  resource.guard?.(context, 'update');
  const query = parseQuery(registry, resource, raw, context, false);
  const stored = await requireRow(context, resource, id, membersForRules(resource));
  const input = parseBody(context, resource, body, id);
  await checkLinks(context, registry, resource, input);
  await checkRules(context, resource, input, stored);
  const update = workflowOf(resource, 'update');
  const now = answerNow(context, registry, resource, query);
  await withRefusals(resource, () => update(context, id, input, now.answer));
  return now.document() ?? readWritten(context, registry, resource, id, query);
}

export async function deleteRecord<C extends EngineContext>(
  context: C,
  resource: Resource<C>,
  id: string,
  raw: RawQuery,
): Promise<void> {
  resource.guard?.(context, 'delete');
  refuseParameters(raw);
  await requireRow(context, resource, id);
  const remove = workflowOf(resource, 'delete');
  await withRefusals(resource, () => remove(context, id));
}

/** `GET /{type}/{id}/relationships/{rel}`. */
export async function relationshipDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  name: string,
  /** The relationship's name in the client's version. */
  word: string,
  raw: RawQuery,
): Promise<object> {
  resource.guard?.(context, 'read');
  refuseParameters(raw);
  const include = new Map([[name, new Map()]]);
  const row = couldBeId(id) ? await selectOne(context, resource, id, include) : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  const relationship = resource.relationships[name];
  // Linkage needs no column of the related records.
  const fields = new Map((relationship ? targetsOf(relationship) : []).map((type) => [type, new Set<string>()]));
  const fetched = await fetchIncluded(context, registry, resource, [row], { include, fields }, mostLinkage);
  const [node] = fetched.primary as [Node<C>];
  return linkageDocument(context, node, name, word);
}

/** `GET /{type}/{id}/{rel}`: the related resource, or the collection of them. */
export async function relatedDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  name: string,
  relationship: Relationship,
  raw: RawQuery,
  asked: Asked,
): Promise<Document> {
  resource.guard?.(context, 'read');
  const include = new Map([[name, new Map()]]);
  const row = couldBeId(id) ? await selectOne(context, resource, id, include) : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  const type =
    relationship.typeColumn && row[`→${name}.type`] ? String(row[`→${name}.type`]) : targetsOf(relationship)[0];
  const target = registry.get(type ?? '');
  if (relationship.kind === 'many') return relatedCollection(context, registry, target, id, relationship, raw, asked);

  if (!target) return { data: null, meta: { api_version: context.apiVersion } };
  const query = parseQuery(registry, target, raw, context, false);
  const relatedId = row[`→${name}`] ?? null;
  const ids = relatedId === null ? [] : [String(relatedId)];
  const [related] = await selectByIds(context, target, ids, query.include, query.fields.get(target.type));
  const fetched = await fetchIncluded(context, registry, target, related ? [related] : [], query);
  return singleDocument(context, fetched, query);
}

async function relatedCollection<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  target: Resource<C> | undefined,
  id: string,
  relationship: Relationship,
  raw: RawQuery,
  asked: Asked,
): Promise<Document> {
  if (!target) return { data: [], meta: { total_records: 0, api_version: context.apiVersion } };
  const { findPage: _, ...plain } = target;
  const query = parseQuery(registry, plain, raw, context, true);
  await checkNamed(context, registry, query);
  const { via, through } = relationship;
  const page = await selectPage(context, plain, query, (params: Params) => [
    through
      ? `${target.idColumn} in (select j.${through.to} from ${through.table} j where j.${through.from} = ${params.add(id)})`
      : `t.${via} = ${params.add(id)}`,
  ]);
  const fetched = await fetchIncluded(context, registry, target, page.rows, query);
  return collectionDocument(context, asked.path, fetched, { ...query, raw: asked.query }, page.total);
}

async function readBack<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  query: Query,
  meta: Record<string, unknown> = {},
): Promise<Document> {
  const findable = resource.singleton || couldBeId(id);
  const row = findable
    ? await selectOne(context, resource, id, query.include, query.fields.get(resource.type))
    : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  return singleDocument(context, await fetchIncluded(context, registry, resource, [row], query), query, meta);
}

/** The record after a write. An error would tell the client that nothing was done, so too large an `include` is left out. */
async function readWritten<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  query: Query,
): Promise<Document> {
  try {
    return await readBack(context, registry, resource, id, query);
  } catch (error) {
    if (!(error instanceof TooManyIncluded)) throw error;
    return readBack(context, registry, resource, id, { ...query, include: null });
  }
}

/** For responses that no parameter can shape. Pages are ignored, as on every single record. */
export function refuseParameters(raw: RawQuery): void {
  throwAny(
    raw.flatMap(([key]) => {
      const filter = /^filter\[(.*)\]$/.exec(key)?.[1];
      if (/^page(\[|$)/.test(key)) return [];
      return [filter === undefined ? errors.paramNotAllowed(key) : errors.filterNotAllowed(filter)];
    }),
  );
}

/** Only an operation that has a workflow is routed here. */
export function workflowOf<C extends EngineContext, O extends StoredOperation>(
  resource: Resource<C>,
  operation: O,
): NonNullable<Resource<C>[O]> {
  const workflow = resource[operation];
  if (!workflow) throw new Error(`${resource.type} has no workflow to ${operation} it`);
  return workflow;
}

/** Lets a workflow have its record read before its transaction ends. */
function answerNow<C extends EngineContext>(context: C, registry: Registry<C>, resource: Resource<C>, query: Query) {
  let document: Document | null = null;
  const answer: AnswerNow = async (id, run) => {
    document = await readWritten({ ...context, query: run }, registry, resource, id, query);
  };
  return { answer, document: () => document };
}

export async function requireRow<C extends EngineContext>(
  context: C,
  resource: Resource<C>,
  id: string,
  { include, fields }: ReturnType<typeof membersForRules> = { include: null, fields: new Set() },
): Promise<Row> {
  const row = couldBeId(id) ? await selectOne(context, resource, id, include, fields) : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  return row;
}

async function metaOf<C extends EngineContext>(
  context: C,
  resource: Resource<C>,
  page: Page,
): Promise<Record<string, unknown>> {
  const meta: Record<string, unknown> = {};
  for (const [name, compute] of Object.entries(resource.collectionMeta)) meta[name] = await compute(context, page);
  return meta;
}
