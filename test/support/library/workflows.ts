/** The library's verbs. */

import { invalid, refuse } from '../../../src/engines/jsonapi/errors.ts';
import { type Linkage, membershipChange, type ToManyInput } from '../../../src/engines/jsonapi/linkage.ts';
import { type TypedObject, wholeObject } from '../../../src/engines/jsonapi/parse-object.ts';
import type { DuringUpdate, EngineContext, WriteInput } from '../../../src/engines/jsonapi/resource.ts';
import { accountIdOf, type Row } from '../../../src/engines/jsonapi/sql.ts';
import { insertRow, updateRow } from '../../../src/engines/jsonapi/store.ts';
import { lamp } from './lamps.ts';

export async function createShelf(context: EngineContext, { attributes }: WriteInput): Promise<string> {
  const values = { ...attributes, account_id: accountIdOf(context), created_at: context.now };
  return insertRow(context, 'shelves', 'lamp' in values ? { ...values, lamp: JSON.stringify(values.lamp) } : values);
}

export async function updateShelf(
  context: EngineContext,
  id: string,
  { attributes }: WriteInput<Row & { lamp?: TypedObject | null }>,
  { checkLocked }: DuringUpdate,
): Promise<void> {
  await context.transaction(async (query) => {
    const [stored] = await query('select lamp from shelves where id = $1 for update', [id]);
    await checkLocked?.(query);
    const { lamp: sent, ...values } = attributes;
    const changed = sent && wholeObject(lamp, sent, stored?.lamp as TypedObject | null);
    const lamps = sent === undefined ? {} : { lamp: JSON.stringify(changed) };
    await updateRow({ ...context, query }, 'shelves', id, { ...values, ...lamps });
  });
}

/** What the library writes down of a copy by itself. */
const noNote = (type: string) => (type === 'paper_copies' ? { note: null } : {});

export async function createBook(context: EngineContext, input: WriteInput): Promise<string> {
  const { silent: _, copies = [], ...values } = input.attributes as { silent?: boolean; copies?: TypedObject[] };
  const id = await insertRow(context, 'books', {
    ...values,
    copies: JSON.stringify(
      copies.map(({ type, attributes }) => ({ type, attributes: { ...noNote(type), ...attributes } })),
    ),
    account_id: accountIdOf(context),
    created_at: context.now,
    ...columns(input),
  });
  await setReviewers(context, id, input);
  return id;
}

export async function updateBook(context: EngineContext, id: string, input: WriteInput): Promise<void> {
  const { silent: _, ...values } = input.attributes;
  await updateRow(context, 'books', id, { ...values, ...columns(input) });
  await setReviewers(context, id, input);
}

export async function checkBook(context: EngineContext, { attributes, relationships }: WriteInput): Promise<string> {
  if (attributes.strict) refuse(invalid.base('The book is not good enough'));
  const [row] = await context.query('select gen_random_uuid() as id, $1::text as book', [one(relationships.book)?.id]);
  return String(row?.id);
}

function columns({ relationships }: WriteInput) {
  const keeper = one(relationships.keeper);
  return {
    ...('shelf' in relationships ? { shelf_id: one(relationships.shelf)?.id ?? null } : {}),
    ...('keeper' in relationships ? { keeper_id: keeper?.id ?? null, keeper_type: keeper?.type ?? null } : {}),
  };
}

async function setReviewers(context: EngineContext, id: string, { relationships }: WriteInput): Promise<void> {
  const { reviewers } = relationships;
  if (!reviewers || 'id' in reviewers) return;
  const { joining, leaving } = membershipChange(reviewers);
  const left = leaving === 'others' ? 'not reader_id = any($2::uuid[])' : 'reader_id = any($2::uuid[])';
  await context.query(`delete from book_reviewers where book_id = $1 and ${left}`, [
    id,
    leaving === 'others' ? joining : leaving,
  ]);
  await context.query('insert into book_reviewers select $1, unnest($2::uuid[]) on conflict do nothing', [id, joining]);
}

const one = (link: Linkage | ToManyInput | null | undefined): Linkage | null => (link && 'id' in link ? link : null);
