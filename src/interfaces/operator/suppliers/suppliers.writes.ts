/** What an operator does with suppliers and their prices. Requests and commands call the same functions. */
import { randomUUID } from 'node:crypto';
import { OperatorError } from '../../../base/operator-error.ts';
import { withConstraintErrors } from '../../../base/violated-constraint.ts';
import type { SupplierRow } from '../../../business/suppliers/open-supplier.ts';
import { planReading } from '../../../business/suppliers/read-catalogue.ts';
import {
  createSupplier,
  removeSupplier,
  type SupplierSettings,
  updateSupplier,
} from '../../../business/suppliers/suppliers.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type Acting, act } from '../act.ts';

/** How a supplier is named: by id in requests, by name at the command line. */
type WhichSupplier = { id: string } | { name: string };

/** Returns the id. What it offers is read at once. */
export function addSupplier(acting: Acting, settings: SupplierSettings): Promise<string> {
  return act(acting, async (env) => {
    const id = await createSupplier(env, settings);
    await planReading(env, id);
    const after = audited(await lockSupplier(env, { id }));
    return { ...about(id), result: id, action: 'supplier.created', after };
  });
}

export function changeSupplier(
  acting: Acting,
  which: WhichSupplier,
  { preview, ...changes }: Partial<SupplierSettings> & { preview: boolean },
): Promise<void> {
  return act(acting, async (env) => {
    const before = await lockSupplier(env, which);
    await updateSupplier(env, before.id, changes);
    // Another account or other countries: what is known of it is not true any more.
    const isOther = changes.url !== undefined || changes.apiKey !== undefined || changes.countries !== undefined;
    if (preview || isOther) await planReading(env, before.id);
    const after = audited(await lockSupplier(env, { id: before.id }));
    const key = changes.apiKey === undefined ? {} : { api_key: 'changed' };
    const change = { before: audited(before), after: { ...after, ...key } };
    return { ...about(before.id), result: undefined, action: 'supplier.updated', ...change };
  });
}

export function previewSupplier(acting: Acting, which: WhichSupplier): Promise<void> {
  return act(acting, async (env) => {
    const { id, name } = await lockSupplier(env, which);
    await planReading(env, id);
    return { ...about(id), result: undefined, action: 'supplier.preview_requested', after: { name } };
  });
}

export function dropSupplier(acting: Acting, which: WhichSupplier): Promise<void> {
  return act(acting, async (env) => {
    const before = await lockSupplier(env, which);
    await removeSupplier(env, before.id);
    return { ...about(before.id), result: undefined, action: 'supplier.removed', before: audited(before) };
  });
}

interface PriceRule {
  country?: string | null;
  did_group_type?: string | null;
  markup_percent: string;
  setup_added?: string;
  monthly_added?: string;
  rounded_to?: string;
  least_margin?: string;
}

/** Returns the id. */
export function addPriceRule(acting: Acting, which: WhichSupplier, rule: PriceRule): Promise<string> {
  return act(acting, async (env) => {
    const { id: supplierId } = await lockSupplier(env, which);
    const id = randomUUID();
    if (Number(rule.markup_percent) <= -100) throw new OperatorError('A markup is above -100 percent.');
    const taken = () => new OperatorError('There is a rule for this country and kind already: remove it first.');
    await withConstraintErrors({ supplier_price_rules_once: taken }, () =>
      env.db
        .insertInto('supplier_price_rules')
        .values({ ...rule, id, supplier_id: supplierId })
        .execute(),
    );
    const subject = { type: 'supplier_price_rules', id };
    return { accountId: null, subject, result: id, action: 'supplier_price_rule.created', after: { ...rule } };
  });
}

export function dropPriceRule(acting: Acting, id: string): Promise<void> {
  return act(acting, async ({ db }) => {
    const before = await db.deleteFrom('supplier_price_rules').where('id', '=', id).returningAll().executeTakeFirst();
    if (before === undefined) throw new OperatorError(`There is no price rule ${id}.`);
    const subject = { type: 'supplier_price_rules', id };
    return { accountId: null, subject, result: undefined, action: 'supplier_price_rule.removed', before };
  });
}

async function lockSupplier({ db }: Environment, which: WhichSupplier): Promise<SupplierRow> {
  const [column, value] = 'id' in which ? (['id', which.id] as const) : (['name', which.name] as const);
  const row = await db.selectFrom('suppliers').selectAll().where(column, '=', value).forUpdate().executeTakeFirst();
  if (row === undefined) throw new OperatorError(`There is no supplier ${value}.`);
  return row;
}

const about = (id: string) => ({ accountId: null, subject: { type: 'suppliers', id } });

/** Settings without the key. */
const audited = ({ name, url, countries, markup_percent }: SupplierRow) => ({ name, url, countries, markup_percent });
