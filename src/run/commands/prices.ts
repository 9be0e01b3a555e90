/**
 * `prices import|list|confirm|withdraw|export` and `price-adjustments set|remove|list`: what customers pay, and from
 * when.
 */
import { readFile } from 'node:fs/promises';
import { oneOf } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { noCarrier } from '../../business/voice/carriers/carriers.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import {
  addPriceAdjustment,
  changePriceAdjustment,
  type Product,
  productTexts,
  removePriceAdjustment,
} from '../../interfaces/operator/pricing/price-adjustments.ts';
import { exportPrices } from '../../interfaces/operator/pricing/price-export.ts';
import { type PriceScope, priceKindNames } from '../../interfaces/operator/pricing/price-kinds.ts';
import {
  comparePrices,
  confirmPriceList,
  countChanges,
  importPriceList,
  stateOf,
  withdrawPriceList,
} from '../../interfaces/operator/pricing/price-lists.writes.ts';
import { argument } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment, money } from './output.ts';
import { timeOf } from './window.ts';

const reason = { type: 'string', value: 'TEXT', summary: 'why; kept in the audit log' } as const;
const scope = {
  account: { type: 'string', value: 'ACCOUNT', summary: 'rates of calls of this account only' },
  carrier: { type: 'string', value: 'CARRIER', summary: 'whose rates, for the kind carrier' },
} as const;
const validFrom = {
  type: 'string',
  value: 'TIME',
  summary: 'from when the prices hold, such as 2026-07-01 (now)',
} as const;
const notes = `KIND is one of ${priceKindNames.join(', ')}.`;
const kindOf = (text: string) => argument('KIND', text, oneOf(...priceKindNames));
const products = Object.keys(productTexts) as Product[];

export const pricesCommands = [
  environmentCommand({
    name: 'prices import',
    summary: 'Import a price list or rate deck from CSV; --dry-run only shows the differences.',
    positionals: ['KIND', 'FILE'],
    options: {
      ...scope,
      'valid-from': validFrom,
      'dry-run': { type: 'boolean', summary: 'show the differences and store nothing' },
      reason,
    },
    notes,
    run: async ({ env, values, positionals: [kind = '', file = ''], out, printTable }) => {
      const wanted = {
        ...{ kind: kindOf(kind), csv: await contentOf(file), dryRun: false },
        ...{ validFrom: timeOf('valid-from', values['valid-from']), ...(await scopeOf(env, values)) },
      };
      if (values['dry-run']) {
        const compared = await comparePrices(env, wanted);
        const rows = compared
          .filter(({ change }) => change !== 'unchanged')
          .map(({ line, subject, change, before, after }) => [
            ...[String(line ?? ''), change, subject],
            ...[JSON.stringify(before ?? {}), JSON.stringify(after ?? {})],
          ]);
        return printTable(['line', 'change', 'subject', 'before', 'after'], rows, 'Nothing would change.');
      }
      const id = await importPriceList(atCommandLine(env, values.reason), wanted);
      const lines = await env.db
        .selectFrom('price_list_lines')
        .select('change')
        .where('price_list_id', '=', id)
        .execute();
      const { new: added, changed, removed, unchanged } = countChanges(lines);
      out(`Price list ${id}: ${added} new, ${changed} changed, ${removed} removed, ${unchanged} unchanged.`);
    },
  }),
  environmentCommand({
    name: 'prices list',
    summary: 'List the price lists, newest first.',
    run: async ({ env, printTable }) => {
      const lists = await env.db
        .selectFrom('price_lists')
        .selectAll()
        .orderBy('created_at', 'desc')
        .limit(200)
        .execute();
      const rows = lists.map((list) => [
        ...[list.id, list.kind, stateOf(list), moment(list.valid_from), list.actor, list.reason ?? ''],
      ]);
      printTable(['id', 'kind', 'state', 'valid from', 'by', 'reason'], rows, 'There is no price list.');
    },
  }),
  environmentCommand({
    name: 'prices confirm',
    summary: 'Make a dry run of a price list count that was imported over /operator/v1.',
    positionals: ['ID'],
    options: { reason },
    run: async ({ env, values, positionals: [id = ''], out }) => {
      await confirmPriceList(atCommandLine(env, values.reason), id);
      out(`Confirmed the price list ${id}.`);
    },
  }),
  environmentCommand({
    name: 'prices withdraw',
    summary: 'Withdraw a price list that is not valid yet.',
    positionals: ['ID'],
    options: { reason },
    run: async ({ env, values, positionals: [id = ''], out }) => {
      await withdrawPriceList(atCommandLine(env, values.reason), id);
      out(`Withdrew the price list ${id}.`);
    },
  }),
  environmentCommand({
    name: 'prices export',
    summary: 'Print the prices that hold now as CSV, in the form that import takes.',
    positionals: ['KIND'],
    options: scope,
    notes,
    run: async ({ env, values, positionals: [kind = ''], out }) =>
      out((await exportPrices(env, kindOf(kind), await scopeOf(env, values))).trimEnd()),
  }),
  environmentCommand({
    name: 'price-adjustments set',
    summary: 'Set what an account pays more or less than the list price.',
    positionals: ['ACCOUNT', 'PRODUCT'],
    options: {
      percent: { type: 'string', value: 'PERCENT', summary: 'such as -10 for a tenth less' },
      fixed: { type: 'string', value: 'AMOUNT', summary: 'added to the price of one unit' },
      reason,
    },
    notes: `PRODUCT is one of ${products.join(', ')}.`,
    run: async ({ env, values, positionals: [wanted = '', name = ''], out }) => {
      const account = await requireAccount(env, wanted);
      const product = argument('PRODUCT', name, oneOf(...products));
      const change = { percent: signed('percent', values.percent), fixed: signed('fixed', values.fixed) };
      const known = await findAdjustment(env, account.id, product);
      const acting = atCommandLine(env, values.reason);
      if (known === undefined) await addPriceAdjustment(acting, account.id, product, change);
      else await changePriceAdjustment(acting, known.id, change);
      out(
        `${account.name} pays ${change.percent === null ? money(change.fixed ?? '0') : `${change.percent} %`} on ${product}.`,
      );
    },
  }),
  environmentCommand({
    name: 'price-adjustments remove',
    summary: 'Let an account pay the list price again.',
    positionals: ['ACCOUNT', 'PRODUCT'],
    options: { reason },
    run: async ({ env, values, positionals: [wanted = '', name = ''], out }) => {
      const account = await requireAccount(env, wanted);
      const known = await findAdjustment(env, account.id, argument('PRODUCT', name, oneOf(...products)));
      if (known === undefined) throw new OperatorError(`${account.name} pays the list price of ${name}.`);
      await removePriceAdjustment(atCommandLine(env, values.reason), known.id);
      out(`${account.name} pays the list price of ${name} again.`);
    },
  }),
  environmentCommand({
    name: 'price-adjustments list',
    summary: 'List what accounts pay more or less than the list price.',
    run: async ({ env, printTable }) => {
      const rows = await env.db
        .selectFrom('price_adjustments as p')
        .innerJoin('accounts as a', 'a.id', 'p.account_id')
        .select(['a.name', 'p.product', 'p.percent', 'p.fixed', 'p.actor'])
        .orderBy('a.name')
        .orderBy('p.product')
        .execute();
      const shown = rows.map(({ name, product, percent, fixed, actor }) => [
        name,
        product,
        percent ?? '',
        fixed === null ? '' : money(fixed),
        actor,
      ]);
      printTable(['account', 'product', 'percent', 'fixed', 'by'], shown, 'Everybody pays the list price.');
    },
  }),
];

function signed(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^-?\d{1,6}(\.\d{1,4})?$/.test(text)) throw new OperatorError(`--${name} must be a number such as -10 or 0.5.`);
  return text;
}

const findAdjustment = (env: Environment, accountId: string, product: Product) =>
  env.db
    .selectFrom('price_adjustments')
    .select('id')
    .where('account_id', '=', accountId)
    .where('product', '=', product)
    .executeTakeFirst();

async function scopeOf(
  env: Environment,
  { account, carrier }: { readonly account?: string; readonly carrier?: string },
): Promise<PriceScope> {
  const found =
    carrier === undefined
      ? undefined
      : await env.db.selectFrom('carriers').select('id').where('name', '=', carrier).executeTakeFirst();
  if (carrier !== undefined && found === undefined) throw noCarrier(carrier);
  return {
    accountId: account === undefined ? null : (await requireAccount(env, account)).id,
    carrierId: found?.id ?? null,
  };
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError(
      `${file} cannot be read (${error instanceof Error && 'code' in error ? error.code : error}).`,
    );
  }
}
