/** The suppliers with their settings and state, and the rules that make our prices of theirs. */
import { boolean, dateTime, decimal, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { nameContains, whyChanged } from '../peers/shared-members.ts';
import {
  addPriceRule,
  addSupplier,
  changeSupplier,
  dropPriceRule,
  dropSupplier,
  previewSupplier,
} from './suppliers.writes.ts';

const supplierStates = {
  new: 'Added; it is read as soon as a worker is free.',
  reading: 'What it offers is being read.',
  previewed: 'What it offers was read: see `supplier_offers`.',
  failed: 'It could not be read; `problem` says why. It is tried again at night.',
};

const percent = '^-?[0-9]{1,4}(\\.[0-9]{1,4})?$';
const amount = '^[0-9]{1,8}(\\.[0-9]{1,4})?$';
const iso = '^[A-Z]{2}$';

export const suppliers = operatorType('suppliers', {
  group: 'Suppliers',
  noun: 'supplier',
  deleteVerb: 'Remove',
  summary: 'A platform with the same `/v3` whose numbers can be sold here: what it offers is read every night.',
  attributes: {
    name: text({ write: 'both', required: true, doc: 'Used once.' }),
    url: text({ write: 'both', required: true, doc: 'The base of its interface; it ends in `/v3`.' }),
    api_key: text({
      write: 'both',
      writeOnly: true,
      required: true,
      doc: 'The key of our account there; stored encrypted, never shown.',
    }),
    countries: list(
      { type: 'string', pattern: iso },
      { write: 'both', required: true, doc: 'Countries of interest, by ISO code.' },
    ),
    markup_percent: text({
      write: 'both',
      pattern: percent,
      column: 'trim_scale(t.markup_percent)::text',
      doc: 'What is added to its prices where no rule says otherwise; 0 if left out.',
    }),
    preview: boolean({ write: 'update', writeOnly: true, doc: 'True: reads what it offers now.' }),
    state: text({ values: supplierStates, doc: 'How far it is.' }),
    problem: text({ nullable: true, doc: 'What keeps it from being read, in a sentence.' }),
    progress: integer({ doc: 'Percent of the reading.' }),
    groups: integer({
      column: '(select count(*)::int from supplier_groups g where g.supplier_id = t.id and not g.withdrawn)',
      doc: 'Groups that it offers in these countries.',
    }),
    spendable: decimal({ nullable: true, doc: 'What our account there could spend when it was asked last.' }),
    checked_at: dateTime({ nullable: true, doc: 'When that was.' }),
    read_at: dateTime({ nullable: true, doc: 'When what it offers was read to the end.' }),
    failures: integer({ doc: 'Failures in a row.' }),
    set_aside_until: dateTime({ nullable: true, doc: 'Until when nothing is sent to it.' }),
    last_failure: text({ nullable: true, doc: 'What went wrong last.' }),
    last_failure_at: dateTime({ nullable: true, doc: 'When.' }),
    created_at: dateTime({ doc: 'When it was added.' }),
    ...whyChanged,
  },
  filters: { name: anyOf('t.name'), ...nameContains, state: anyOf('t.state', { values: supplierStates }) },
  sort: ['name', 'created_at'],
  defaultSort: 'name',
  create: (context, { attributes: { reason, name, url, api_key: apiKey, countries, markup_percent = '0' } }) =>
    refusing(() =>
      addSupplier(actingOf(context, reason), { name, url, apiKey, countries, markupPercent: markup_percent }),
    ),
  update: (context, id, { attributes: { reason, preview, ...sent } }) =>
    refusing(async () => {
      const { name, url, api_key: apiKey, countries, markup_percent: markupPercent } = sent;
      const acting = actingOf(context, reason);
      if (Object.keys(sent).length === 0 && preview === true) return previewSupplier(acting, { id });
      const changes = {
        ...(name !== undefined && { name }),
        ...(url !== undefined && { url }),
        ...(apiKey !== undefined && { apiKey }),
        ...(countries !== undefined && { countries }),
        ...(markupPercent !== undefined && { markupPercent }),
      };
      return changeSupplier(acting, { id }, { ...changes, preview: preview === true });
    }),
  delete: (context, id) => refusing(() => dropSupplier(actingOf(context), { id })),
});

const added = (doc: string) => decimal({ write: 'create', pattern: amount, doc });

export const supplierPriceRules = operatorType('supplier_price_rules', {
  group: 'Suppliers',
  noun: 'price rule',
  deleteVerb: 'Remove',
  summary:
    'How prices are made of what a supplier charges, for a country, a kind of number or both. The most exact rule that fits counts alone; without one the markup of the supplier does.',
  attributes: {
    country: text({ write: 'create', nullable: true, pattern: iso, doc: 'By ISO code; null for all.' }),
    did_group_type: text({ write: 'create', nullable: true, doc: 'The kind, such as `Mobile`; null for all.' }),
    markup_percent: text({
      write: 'create',
      required: true,
      pattern: percent,
      column: 'trim_scale(t.markup_percent)::text',
      doc: 'Added to the price of the supplier.',
    }),
    setup_added: added('Added to the setup price, after the percentage; 0 if left out.'),
    monthly_added: added('Added to the monthly price, after the percentage; 0 if left out.'),
    rounded_to: added('Prices are rounded up to a multiple of it; 0, if left out, keeps four decimals.'),
    least_margin: added('What a month earns at least; 0 if left out.'),
    reason: text({ write: 'create', writeOnly: true, doc: 'Why; kept in the audit log.' }),
  },
  relationships: { supplier: toOne('suppliers', { write: 'create', required: true, doc: 'Whose prices.' }) },
  filters: { 'supplier.id': anyId('t.supplier_id'), country: anyOf('t.country'), type: anyOf('t.did_group_type') },
  sort: ['country'],
  defaultSort: 'country',
  create: (context, { attributes: { reason, ...rule }, relationships: { supplier } }) =>
    refusing(() => addPriceRule(actingOf(context, reason), { id: supplier.id }, rule)),
  delete: (context, id) => refusing(() => dropPriceRule(actingOf(context), id)),
});
