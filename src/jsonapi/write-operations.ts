/** The writing operations: each takes a context and a request, runs the type's workflow, and returns a document. */
import { checkLinks } from './check-links.ts';
import { couldBeId } from './declare.ts';
import { actionDocument } from './document.ts';
import { ApiError, errors } from './errors.ts';
import type { Document } from './linkage.ts';
import { readBack, refuseParameters } from './operations.ts';
import { parseBody } from './parse-body.ts';
import { parseQuery } from './query.ts';
import type { Query, RawQuery } from './query-string.ts';
import { TooManyIncluded } from './related.ts';
import type { AnswerNow, EngineContext, Registry, Resource, WriteInput } from './resource.ts';
import { checkRules, hasRules, membersForRules } from './rules.ts';
import { selectOne } from './select.ts';
import type { Row, RunQuery } from './sql.ts';
import { type StoredOperation, withRefusals } from './store.ts';

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
  const now = answerNow(context, registry, resource, query);
  await runUpdate(context, registry, resource, id, () => parseBody(context, resource, body, id), now.answer);
  return now.document() ?? readWritten(context, registry, resource, id, query);
}

/**
 * Checks and runs an update. The rules are checked twice: before the workflow runs, so that most broken ones are reported
 * without a lock, and by the workflow while it holds the lock of the row.
 */
export async function runUpdate<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  /** Parses the body; called once it is known that the record exists. */
  read: () => WriteInput,
  answer: AnswerNow,
): Promise<void> {
  const stored = await requireRow(context, resource, id);
  const input = read();
  await checkLinks(context, registry, resource, input);
  await checkRules(context, resource, input, stored);
  const update = workflowOf(resource, 'update');
  let isChecked = !hasRules(resource);
  const checkLocked = async (query: RunQuery) => {
    isChecked = true;
    const locked = { ...context, query };
    await checkRules(locked, resource, input, await requireRow(locked, resource, id));
  };
  const during = { answer, checkLocked: isChecked ? null : checkLocked };
  await withRefusals(resource, () => update(context, id, input, during));
  if (!isChecked) throw new Error(`the update of ${resource.type} does not check its rules under the lock`);
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

/** The workflow of an operation; only operations that have one are routed. */
function workflowOf<C extends EngineContext, O extends StoredOperation>(
  resource: Resource<C>,
  operation: O,
): NonNullable<Resource<C>[O]> {
  const workflow = resource[operation];
  if (!workflow) throw new Error(`${resource.type} has no workflow to ${operation} it`);
  return workflow;
}

/** Lets a workflow read the response before its transaction ends. */
function answerNow<C extends EngineContext>(context: C, registry: Registry<C>, resource: Resource<C>, query: Query) {
  let document: Document | null = null;
  const answer: AnswerNow = async (id, run) => {
    document = await readWritten({ ...context, query: run }, registry, resource, id, query);
  };
  return { answer, document: () => document };
}

/** The record after a write. If `include` would bring too much it is left out: an error would mean that nothing was done. */
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

/** The row of a record, with the members that its rules need. */
async function requireRow<C extends EngineContext>(context: C, resource: Resource<C>, id: string): Promise<Row> {
  const { include, fields } = membersForRules(resource);
  const row = couldBeId(id) ? await selectOne(context, resource, id, include, fields) : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  return row;
}
