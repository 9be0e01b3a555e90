/**
 * Plain storage: how the engine writes a type that has no workflow of its own, and reports what the database refuses.
 */
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import { ApiError, errors } from './errors.ts';
import type { EngineContext, Resource, WriteInput } from './resource.ts';
import { accountIdOf, allConditions, Params, type Row, tenantCondition } from './sql.ts';

export type StoredOperation = 'create' | 'update' | 'delete';

/**
 * The workflows of the operations that are plain storage. A new record gets its account and the time of its creation.
 */
export function plainStorage(
  table: string,
  operations: readonly StoredOperation[],
): Pick<Resource, 'create' | 'update' | 'delete'> {
  const workflows: Required<Pick<Resource, StoredOperation>> = {
    create: (context, input) =>
      insertRow(context, table, { ...columnValues(input), account_id: accountIdOf(context), created_at: context.now }),
    update: (context, id, input, { checkLocked }) =>
      checkLocked === null
        ? updateRow(context, table, id, columnValues(input))
        : context.transaction(async (query) => {
            await lockRow({ ...context, query }, table, id);
            await checkLocked(query);
            await updateRow({ ...context, query }, table, id, columnValues(input));
          }),
    delete: (context, id) => deleteRow(context, table, id),
  };
  return Object.fromEntries(operations.map((operation) => [operation, workflows[operation]]));
}

export async function insertRow(context: EngineContext, table: string, values: Row): Promise<string> {
  const names = Object.keys(values);
  const params = new Params();
  const placeholders = names.map((name) => params.add(values[name]));
  const text = `insert into ${table} (${names.join(', ')}) values (${placeholders.join(', ')}) returning id`;
  const [row] = await context.query(text, params.values);
  return String(row?.id);
}

/** Changes only what was sent. */
export async function updateRow(context: EngineContext, table: string, id: string, values: Row): Promise<void> {
  const names = Object.keys(values);
  if (names.length === 0) return;
  const params = new Params();
  const changes = names.map((name) => `${name} = ${params.add(values[name])}`);
  await context.query(`update ${table} set ${changes.join(', ')}${whereOwn(context, id, params)}`, params.values);
}

async function lockRow(context: EngineContext, table: string, id: string): Promise<void> {
  const params = new Params();
  await context.query(`select id from ${table}${whereOwn(context, id, params)} for update`, params.values);
}

async function deleteRow(context: EngineContext, table: string, id: string): Promise<void> {
  const params = new Params();
  const [deleted] = await context.query(
    `delete from ${table}${whereOwn(context, id, params)} returning id`,
    params.values,
  );
  if (!deleted) throw new ApiError([errors.recordNotFound(id)]);
}

/** An input as columns: attributes by name, to-one relationships as `<name>_id`. */
export function columnValues(input: WriteInput): Row {
  const values: Row = { ...input.attributes };
  for (const [name, link] of Object.entries(input.relationships)) {
    if (link === null || 'id' in link) values[`${name}_id`] = link?.id ?? null;
  }
  return values;
}

/** Runs a workflow; a constraint that the type declares in `refusals` becomes its error. */
export function withRefusals<T>({ refusals = {} }: Pick<Resource, 'refusals'>, run: () => Promise<T>): Promise<T> {
  const errors = Object.entries(refusals).map(([name, refusal]) => [name, () => new ApiError([refusal])] as const);
  return withConstraintErrors(Object.fromEntries(errors), run);
}

function whereOwn(context: EngineContext, id: string, params: Params): string {
  const tenant = tenantCondition(context, 'account_id', params);
  return allConditions([`id = ${params.add(id)}`, ...(tenant === null ? [] : [tenant])]);
}
