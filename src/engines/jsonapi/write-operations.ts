/** The writing operations: each takes a request, runs the type's workflow, and returns a document. */
import { OperatorError } from '../../base/operator-error.ts';
import { isStaleWrite } from '../../base/violated-constraint.ts';
import { checkLinks } from './check-links.ts';
import { actionDocument } from './document.ts';
import type { ResourceRequest } from './engine.ts';
import { ApiError } from './errors.ts';
import type { Document } from './linkage.ts';
import { asRead, inNewest, inOwnWords, newestOf } from './older-form.ts';
import { readBack, refuseParameters, requireRow } from './operations.ts';
import { parseBody } from './parse-body.ts';
import { parseQuery } from './query.ts';
import type { Query } from './query-string.ts';
import { TooManyIncluded } from './related.ts';
import type { AnswerNow, EngineContext, Resource, WriteInput } from './resource.ts';
import { checkRules, hasRules, membersForRules } from './rules.ts';
import type { Row, RunQuery } from './sql.ts';
import { type StoredOperation, withRefusals } from './store.ts';

export async function createDocument(request: ResourceRequest): Promise<Document> {
  const { context, registry, resource } = request;
  resource.guard?.(context, 'create');
  const query = parseQuery(registry, resource, request.query, context, false);
  const input = inNewest(resource, parseBody(context, resource, request.body, null), 'create');
  const create = (within: EngineContext) => checkAndCreate({ ...request, context: within }, input, query);
  const { once } = context;
  const { newest } = request;
  const { type } = newestOf(resource);
  return inOwnWords(resource, async () => {
    const created = once ? once({ type, input, query: request.query }, create) : create(context);
    const document = await created.catch((error) =>
      explainFailure(error, [() => checkLinks(context, newest, newestOf(resource), input)]),
    );
    return inSameVersion(request, document, query);
  });
}

/** A create that was done once before may have been asked for in another version: its record is read in this one. */
async function inSameVersion(request: ResourceRequest, document: Document, query: Query): Promise<Document> {
  const { context, resource } = request;
  const { data, meta } = document;
  if (meta.api_version === context.apiVersion || !data || Array.isArray(data)) return document;
  if (!resource.stored) return actionDocument(context, resource.type, data.id);
  return readWritten(request, data.id, query).catch((error) => {
    if (error instanceof ApiError && error.status === 404) return document;
    throw error;
  });
}

async function checkAndCreate(request: ResourceRequest, input: WriteInput, query: Query): Promise<Document> {
  const { context, newest, resource } = request;
  const declared = newestOf(resource);
  await checkLinks(context, newest, declared, input);
  await checkRules(context, declared, input, null);
  const create = workflowOf(declared, 'create');
  const now = answerNow(request, query);
  const id = await withRefusals(declared, () => create(context, input, now.answer));
  await context.noteCreated?.(declared.type, id);
  if (!resource.stored) return actionDocument(context, resource.type, id);
  return now.document() ?? readWritten(request, id, query);
}

export async function updateDocument(request: ResourceRequest): Promise<Document> {
  const { context, registry, resource, id } = request;
  resource.guard?.(context, 'update');
  const query = parseQuery(registry, resource, request.query, context, false);
  const now = answerNow(request, query);
  const read = () => inNewest(resource, parseBody(context, resource, request.body, id), 'update');
  await runUpdate(request, read, now.answer);
  return now.document() ?? readWritten(request, id, query);
}

/**
 * Checks and runs an update. The rules are checked twice: before the workflow runs, so that most broken ones are
 * reported without a lock, and by the workflow while it holds the lock of the row.
 */
export const runUpdate = (
  request: ResourceRequest,
  /** Parses the body; called once it is known that the record exists. */
  read: () => WriteInput,
  answer: AnswerNow,
): Promise<void> =>
  inOwnWords(request.resource, () =>
    updateNewest({ ...request, registry: request.newest, resource: newestOf(request.resource) }, read, answer),
  );

async function updateNewest(
  { context, registry, resource, id }: ResourceRequest,
  read: () => WriteInput,
  answer: AnswerNow,
): Promise<void> {
  const { include, fields } = membersForRules(resource);
  const stored = await requireRow({ context, resource, id }, include, fields);
  const input = read();
  await checkLinks(context, registry, resource, input);
  await checkRules(context, resource, input, stored);
  const update = workflowOf(resource, 'update');
  let isChecked = !hasRules(resource);
  const checkLocked = async (query: RunQuery) => {
    isChecked = true;
    const locked = { ...context, query };
    await checkRules(locked, resource, input, await requireRow({ context: locked, resource, id }, include, fields));
  };
  const during = { answer, checkLocked: isChecked ? null : checkLocked };
  await withRefusals(resource, () => update(context, id, input, during)).catch((error) =>
    explainFailure(error, [
      () => requireRow({ context, resource, id }, null, new Set()),
      () => checkLinks(context, registry, resource, input),
    ]),
  );
  if (!isChecked) throw new Error(`the update of ${resource.type} does not check its rules under the lock`);
}

export async function deleteRecord({ context, resource, id, query }: ResourceRequest): Promise<null> {
  resource.guard?.(context, 'delete');
  refuseParameters(query);
  await requireRow({ context, resource, id }, null, new Set());
  const declared = newestOf(resource);
  const remove = workflowOf(declared, 'delete');
  await inOwnWords(resource, () =>
    withRefusals(declared, () => remove(context, id)).catch((error) =>
      explainFailure(error, [() => requireRow({ context, resource, id }, null, new Set())]),
    ),
  );
  return null;
}

/**
 * A workflow may fail because a parallel request deleted its record, or one that it links to, after they were checked:
 * a row that is missing, a violated foreign key, a refusal whose reason is no longer true, or one in a command's words.
 * `checks` say so if that is why.
 */
async function explainFailure(error: unknown, checks: readonly (() => Promise<unknown>)[]): Promise<never> {
  const isRefusal = error instanceof OperatorError || (error instanceof ApiError && [409, 422].includes(error.status));
  const isStale = isRefusal || isStaleWrite(error);
  if (isStale) for (const check of checks) await check();
  throw error;
}

/** The workflow of an operation; only operations that have one are routed. */
function workflowOf<O extends StoredOperation>(resource: Resource, operation: O): NonNullable<Resource[O]> {
  const workflow = resource[operation];
  if (!workflow) throw new Error(`${resource.type} has no workflow to ${operation} it`);
  return workflow;
}

/** Lets a workflow make the response before its transaction ends. */
function answerNow(request: ResourceRequest, query: Query) {
  let document: Document | null = null;
  const answer: AnswerNow = async (id, from) => {
    document =
      typeof from === 'function'
        ? await readWritten({ ...request, context: { ...request.context, query: from } }, id, query)
        : await readWritten(request, id, query, asRead(request.resource, from.row));
  };
  return { answer, document: () => document };
}

/**
 * The record after a write. If `include` would bring too much it is left out: an error would mean that nothing was
 * done.
 */
async function readWritten(request: ResourceRequest, id: string, query: Query, known?: Row): Promise<Document> {
  try {
    return await readBack(request, id, query, known);
  } catch (error) {
    if (!(error instanceof TooManyIncluded)) throw error;
    return readBack(request, id, { ...query, include: null }, known);
  }
}
