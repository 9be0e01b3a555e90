/** The types of a resource's columns, asked for once per process: a column's type is part of the schema. */
import type { EngineContext, Resource } from '../resource.ts';
import { columnsFor, sourceOf } from '../select.ts';
import { Params, type RunText } from '../sql.ts';

export type ColumnTypes = Readonly<Record<string, number>>;

const known = new WeakMap<Resource, ColumnTypes>();

/** Column → the number of its type, for everything that a document may show of this type. */
export async function columnTypesOf(context: EngineContext, text: RunText, resource: Resource): Promise<ColumnTypes> {
  const found = known.get(resource);
  if (found) return found;
  const params = new Params();
  const source = sourceOf(context, resource, params);
  const types = await text.describe(`select ${columnsFor(resource, null)} from ${source} limit 0`, params.values);
  known.set(resource, types);
  return types;
}
