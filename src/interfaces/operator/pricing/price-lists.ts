/** Price lists and rate decks, imported from CSV: what they change, from when they hold, and their lines. */

import { OperatorError } from '../../../base/operator-error.ts';
import { boolean, dateTime, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { mapValues, toOne } from '../../../engines/jsonapi/declare.ts';
import { ApiError, invalid } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { inBulkSlot } from '../bulk-slots.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween, endless, partOfText } from '../lookups/shared-filters.ts';
import { type PriceKindName, priceKinds } from './price-kinds.ts';
import { confirmPriceList, importPriceList, withdrawPriceList } from './price-lists.writes.ts';
import { PriceFileError } from './read-price-file.ts';

const kinds = mapValues(priceKinds, ({ about }) => about) as Record<PriceKindName, string>;

const states = {
  dry_run: 'It only shows what it would change.',
  planned: 'Its prices hold from `valid_from` on.',
  valid: 'Its prices were put in place.',
  withdrawn: 'It was withdrawn before it was valid.',
};

const state = `case when t.applied_at is not null then 'valid' when t.withdrawn_at is not null then 'withdrawn'
  when t.confirmed_at is not null then 'planned' else 'dry_run' end`;

const changes = {
  new: 'There was no such price.',
  changed: 'There was another price.',
  removed: 'The file leaves it out.',
  unchanged: 'The price is the same.',
};

const counted = (change: keyof typeof changes, doc: string) =>
  integer({
    column: `(select count(*)::int from price_list_lines l where l.price_list_id = t.id and l.change = '${change}')`,
    doc,
  });

/** Some 200,000 lines of a rate deck. */
export const longestPriceFile = 8_000_000;

export const priceLists = operatorType('price_lists', {
  group: 'Money',
  noun: 'price list',
  summary:
    'Prices imported from CSV. A dry run shows the differences; what was charged before a list is valid keeps its price.',
  attributes: {
    kind: text({ write: 'create', required: true, values: kinds, doc: 'What it prices.' }),
    csv: text({
      write: 'create',
      writeOnly: true,
      required: true,
      textLimit: longestPriceFile,
      doc: 'The file, with a header; `prices.csv` exports the prices of today in the same form.',
    }),
    valid_from: dateTime({
      write: 'both',
      nullable: true,
      doc: 'From when its prices hold; at once if left out. Before the list is valid it can be withdrawn.',
    }),
    dry_run: boolean({
      write: 'both',
      column: 't.confirmed_at is null',
      doc: 'True only shows the differences. Setting it to false makes a dry run count.',
    }),
    state: text({ values: states, column: state, doc: 'How far it is.' }),
    new_count: counted('new', 'Prices that are new.'),
    changed_count: counted('changed', 'Prices that change.'),
    removed_count: counted('removed', 'Prices that end.'),
    unchanged_count: counted('unchanged', 'Prices that stay.'),
    withdrawn: boolean({ write: 'update', writeOnly: true, doc: 'True withdraws a list that is not valid yet.' }),
    reason: text({ write: 'both', nullable: true, doc: 'Why; kept in the audit log.' }),
    actor: text({ doc: 'Who imported it.' }),
    created_at: dateTime({ doc: 'When it was imported.' }),
    applied_at: dateTime({ nullable: true, doc: 'When its prices were put in place.' }),
    withdrawn_at: dateTime({ nullable: true, doc: 'When it was withdrawn.' }),
  },
  relationships: {
    account: toOne('accounts', { write: 'create', nullable: true, doc: 'Rates of calls for this customer only.' }),
    carrier: toOne('carriers', { write: 'create', nullable: true, doc: 'Whose rates; for the kind `carrier`.' }),
  },
  filters: {
    id: anyId('t.id'),
    kind: anyOf('t.kind', { values: kinds }),
    state: anyOf(state, { values: states }),
    reason_contains: partOfText('the reason', 't.reason'),
    'account.id': anyId('t.account_id'),
    'carrier.id': anyId('t.carrier_id'),
    ...createdBetween,
  },
  sort: ['created_at', 'valid_from'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) => {
    const { kind, csv, dry_run: dryRun = false, valid_from } = attributes;
    const scope = { accountId: relationships.account?.id ?? null, carrierId: relationships.carrier?.id ?? null };
    const wanted = { kind, csv, dryRun, validFrom: valid_from == null ? null : new Date(valid_from), ...scope };
    const act = () => importPriceList(actingOf(context, attributes.reason), wanted).catch(pointAtLines);
    return inBulkSlot(context.env, () => refusing(act));
  },
  update: (context, id, { attributes: sent }) =>
    refusing(() => {
      const acting = actingOf(context, sent.reason);
      if (sent.withdrawn === true) return withdrawPriceList(acting, id);
      if (sent.dry_run !== false) throw new OperatorError('A price list can be confirmed or withdrawn.');
      const { valid_from: from } = sent;
      return inBulkSlot(context.env, () => confirmPriceList(acting, id, from == null ? from : new Date(from)));
    }),
});

/** One error for each wrong line of the file. */
function pointAtLines(error: unknown): never {
  if (!(error instanceof PriceFileError)) throw error;
  throw new ApiError(error.lines.map(({ line, message }) => invalid.attribute('csv', `line ${line}: ${message}`)));
}

export const priceListLines = operatorType('price_list_lines', {
  group: 'Money',
  noun: 'line of a price list',
  summary: 'One price of a list beside the price before it.',
  ...endless,
  attributes: {
    line: integer({ nullable: true, doc: 'Its line in the file; null for a price that the file leaves out.' }),
    subject: text({ doc: 'What is priced: a prefix, an offer, a pool.' }),
    change: text({ values: changes, doc: 'What happens to the price.' }),
    before: text({ nullable: true, column: 't.before::text', doc: 'The prices before, as JSON.' }),
    after: text({ nullable: true, column: 't.after::text', doc: 'The prices of the list, as JSON.' }),
  },
  relationships: { price_list: toOne('price_lists', { doc: 'The list.' }) },
  filters: {
    'price_list.id': anyId('t.price_list_id'),
    change: anyOf('t.change', { values: changes }),
    subject: anyOf('t.subject'),
  },
  sort: ['line', 'subject'],
  defaultSort: 'subject',
});
