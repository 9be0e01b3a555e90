/** The customers, as an operator sees and changes them. */
import type { AccountSettings } from '../../business/accounts/account-columns.ts';
import {
  featureNames,
  featureTexts,
  limitNames,
  limitTexts,
  readFeatures,
  readLimits,
} from '../../business/accounts/features-and-limits.ts';
import { planEachTime } from '../../engines/db/prepared.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import { boolean, dateTime, decimal, plainObject, text } from '../../engines/jsonapi/attributes.ts';
import { facts, type ObjectType } from '../../engines/jsonapi/facts.ts';
import { anyId, explained, type Filter, flag, since, until } from '../../engines/jsonapi/filters.ts';
import type { CreateOf, UpdateOf } from '../../engines/jsonapi/sent.ts';
import { knownVersions, shownVersion } from '../platform/versions/versions.ts';
import {
  changeAccount,
  changeBalanceAlert,
  closeAccount,
  openAccount,
  resumeAccount,
  suspendAccount,
} from './accounts.writes.ts';
import { actingOf, type OperatorContext, operatorType, refusing, requireAttributes } from './context.ts';
import { escapeLike } from './lookups/shared-filters.ts';

const amount = { write: 'both', min: 0 } as const;

const limits: ObjectType = Object.fromEntries(
  limitNames.map((name) => [
    name,
    facts('integer', {
      write: 'both',
      nullable: limitTexts[name].default === null,
      doc: `${limitTexts[name].text}.`,
    }),
  ]),
);
const features: ObjectType = Object.fromEntries(
  featureNames.map((name) => [name, facts('boolean', { write: 'both', doc: `${featureTexts[name]}.` })]),
);

/** A part of the name, of the e-mail address, or a longer part of the id. */
const search: Filter = {
  facts: { match: 'contains', minLength: 2 },
  parse: (value) => (value === '' ? null : [value]),
  where: ([value], params) => {
    const text = String(value).toLowerCase();
    const pattern = `${params.add(`%${escapeLike(text)}%`)}::text`;
    const conditions = [`lower(t.name) like ${pattern}`, `lower(t.email) like ${pattern}`];
    // Without this condition the trigram indexes serve the search, and few people know a shorter part of an id.
    if (/^[0-9a-f-]{8,36}$/.test(text)) conditions.push(`t.id::text like ${pattern}`);
    return `${planEachTime} (${conditions.join(' or ')})`;
  },
};

const attributes = {
  name: text({ write: 'both', required: true, doc: 'Used once.' }),
  email: text({
    write: 'both',
    nullable: true,
    doc: 'The login of the panel; used once. A former address is told of the change.',
  }),
  balance: decimal({ write: 'create', min: 0, doc: 'What the customer has; an opening balance when it is created.' }),
  credit: decimal({ ...amount, doc: 'How far below zero the balance may go.' }),
  vat_rate: decimal({ ...amount, max: 100, doc: 'In percent, added to prices.' }),
  api_version: text({
    write: 'both',
    enum: knownVersions,
    column: shownVersion,
    doc: 'The version of `/v3` without a version header; its first request fixes it if nobody has chosen one.',
  }),
  read_only: boolean({ write: 'both', doc: 'A read-only account may not order.' }),
  limits: {
    ...plainObject('account_limits', limits, { write: 'both', doc: 'Only those sent change.' }),
    decode: readLimits,
  },
  features: {
    ...plainObject('account_features', features, { write: 'both', doc: 'Only those sent change.' }),
    decode: readFeatures,
  },
  low_balance_threshold: decimal({
    write: 'update',
    nullable: true,
    column: '(select b.threshold from balance_alerts b where b.account_id = t.id)',
    doc: 'When the balance falls below it, the customer is told by e-mail, once; null tells nobody.',
  }),
  low_balance_callback_url: text({
    write: 'update',
    nullable: true,
    maxLength: 2000,
    column: '(select b.callback_url from balance_alerts b where b.account_id = t.id)',
    doc: 'Gets a callback then, signed with the callback secret of the account.',
  }),
  suspended: boolean({
    write: 'update',
    column: 't.suspended_at is not null',
    doc: 'Requests are 403 with the reason, codes and calls in both directions are refused.',
  }),
  closed: boolean({ write: 'update', column: 't.closed_at is not null', doc: 'True closes the account for good.' }),
  reason: text({
    write: 'update',
    writeOnly: true,
    doc: 'Why; needed to suspend and to close, when the customer is shown it. Kept in the audit log.',
  }),
  end_calls: boolean({
    write: 'update',
    writeOnly: true,
    doc: 'When suspending: calls that are up end (true if left out).',
  }),
  hold_renewals: boolean({
    write: 'update',
    writeOnly: true,
    doc: 'When suspending: nothing is renewed or expires until the account is resumed (false if left out).',
  }),
  suspension_reason: text({ nullable: true, doc: 'Why it is suspended or closed.' }),
  renewals_held: boolean({ doc: 'Whether renewals wait until it is resumed.' }),
  suspended_at: dateTime({ nullable: true, doc: 'Since when it is suspended.' }),
  closed_at: dateTime({ nullable: true, doc: 'When it was closed.' }),
  origid: text({ doc: 'What signatures name as the origin of its calls (STIR/SHAKEN): the same for all of them.' }),
  created_at: dateTime({ doc: 'When it was created.' }),
};

type Sent = CreateOf<typeof attributes, object>['attributes'] | UpdateOf<typeof attributes, object>['attributes'];
type Change = UpdateOf<typeof attributes, object>['attributes'];

export const accounts = operatorType('accounts', {
  group: 'Accounts',
  noun: 'account',
  summary: 'A customer of this environment.',
  attributes,
  filters: {
    id: anyId('t.id'),
    search: explained(
      'A part of the name or the e-mail address, at least two characters, or of the id, at least eight.',
      search,
    ),
    suspended: flag('t.suspended_at is not null'),
    closed: flag('t.closed_at is not null'),
    origid: explained('Whose calls have this origin in their signatures.', anyId('t.origid')),
    created_at_gteq: explained('Created at this time or later.', since('t.created_at')),
    created_at_lteq: explained('Created at this time or earlier.', until('t.created_at')),
  },
  sort: ['name', 'balance', 'created_at'],
  defaultSort: 'name',
  create: async (context, input) => {
    requireAttributes(context, 'accounts', input);
    const { name, balance } = input.attributes;
    const account = await refusing(() =>
      openAccount(actingOf(context), {
        name,
        ...(balance === undefined ? {} : { balance }),
        ...settingsIn(input.attributes),
      }),
    );
    return account.id;
  },
  update: async (context, id, input) => {
    requireAttributes(context, 'accounts', input);
    await refusing(() => updateAccount(context, id, input.attributes));
  },
});

/** A request may change settings and suspend at once: both happen or none, each with its audit entry. */
function updateAccount(context: OperatorContext, id: string, sent: Change): Promise<void> {
  const { reason = '', suspended, closed, end_calls: endCalls, hold_renewals: holdRenewals } = sent;
  return inTransaction(context.env.db, async (db) => {
    const acting = actingOf({ ...context, env: { ...context.env, db } }, reason === '' ? null : reason);
    const settings = settingsIn(sent);
    if (Object.keys(settings).length > 0) await changeAccount(acting, id, settings);
    const alert = {
      ...(sent.low_balance_threshold === undefined ? {} : { threshold: sent.low_balance_threshold }),
      ...(sent.low_balance_callback_url === undefined ? {} : { callbackUrl: sent.low_balance_callback_url }),
    };
    if (Object.keys(alert).length > 0) await changeBalanceAlert(acting, id, alert);
    if (closed === true) await closeAccount(acting, id, reason);
    else if (suspended === false) await resumeAccount(acting, id);
    else if (suspended === true) {
      await suspendAccount(acting, id, {
        reason,
        ...(endCalls === undefined ? {} : { endCalls }),
        ...(holdRenewals === undefined ? {} : { holdRenewals }),
      });
    }
  });
}

/**
 * Members of limits and features that are of another kind are refused where they are stored (`checkLimits`,
 * `checkFeatures`).
 */
function settingsIn(sent: Sent): AccountSettings {
  return {
    ...(sent.name === undefined ? {} : { name: sent.name }),
    ...(sent.email === undefined ? {} : { email: sent.email }),
    ...(sent.credit === undefined ? {} : { credit: sent.credit }),
    ...(sent.vat_rate === undefined ? {} : { vatRate: sent.vat_rate }),
    ...(sent.api_version === undefined ? {} : { apiVersion: sent.api_version }),
    ...(sent.read_only === undefined ? {} : { readOnly: sent.read_only }),
    ...(sent.limits === undefined ? {} : { limits: sent.limits as Record<string, number> }),
    ...(sent.features === undefined ? {} : { features: sent.features as Record<string, boolean> }),
  };
}
