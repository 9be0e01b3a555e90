/**
 * The settings of the verification service that limit starts, one record each, and the starts that they have refused.
 */
import { boolean, dateTime, text } from '../../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, flag } from '../../../engines/jsonapi/filters.ts';
import { changeSettings, readSettings, shippedSettings } from '../../verification/settings.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { account, createdBetween, endless, numberFrom } from '../lookups/shared-filters.ts';
import { formatGuard, type GuardName, guardTexts, isGuard, readGuard } from './guard-settings.ts';

const quoted = (words: string): string => `'${words.replaceAll("'", "''")}'`;

/** SQL: one row for each setting, with what is shipped in both environments. */
const known = Object.entries(guardTexts).map(([name, { summary }], position) => {
  const shipped = (environment: 'production' | 'sandbox') =>
    quoted(formatGuard(new Map(Object.entries(shippedSettings(environment))).get(name)));
  return `(${position}, ${quoted(name)}, ${quoted(summary)}, ${shipped('production')}, ${shipped('sandbox')})`;
});

const idOf = 'md5(t.name)::uuid';

export const guards = operatorType('guards', {
  group: 'Verification',
  noun: 'guard',
  summary: 'A setting of the verification service: a limit on starts, or how codes are sent.',
  from: `(select g.*, s.settings ? g.name as is_changed,
            case when s.settings ? g.name then jsonb_build_object('is', s.settings -> g.name) end as value
          from (values ${known.join(', ')}) g (position, name, about, shipped_in_production, shipped_in_sandbox)
          cross join verification_settings s) t`,
  idColumn: idOf,
  tieBreak: 't.position',
  attributes: {
    name: text({ doc: 'As `trunkline otp-guards` and docs/verification.md name it.' }),
    about: text({ doc: 'What it is, and how its value is written.' }),
    value: {
      ...text({
        write: 'update',
        nullable: true,
        doc: 'What an operator has set; null for what is shipped, which writing `default` restores. `off` switches it off.',
      }),
      decode: ({ is }: { is: unknown }) => formatGuard(is),
    },
    is_changed: boolean({ doc: 'Whether an operator has set it.' }),
    shipped_in_production: text({ doc: 'Its value in production unless an operator sets it.' }),
    shipped_in_sandbox: text({ doc: 'The same in the sandbox.' }),
    reason: text({ write: 'update', writeOnly: true, doc: 'Why; kept in the audit log.' }),
  },
  filters: { name: anyOf('t.name'), is_changed: flag('t.is_changed') },
  sort: ['name'],
  update: async (context, id, { attributes: { value, reason } }) => {
    const [row] = await context.query(
      `select t.name from (values ${known.join(', ')}) t (position, name) where ${idOf} = $1`,
      [id],
    );
    const name = String(row?.name);
    if (!isGuard(name)) throw new ApiError([errors.recordNotFound(id)]);
    await refusing(() => changeGuard(actingOf(context, reason), name, value ?? 'default'));
  },
});

/** `words` as at the command line. Every process goes by it at once. */
function changeGuard(acting: Acting, name: GuardName, words: string): Promise<void> {
  return act(acting, async (env) => {
    const before = await readSettings(env);
    const after = await changeSettings(env, { [name]: readGuard(name, words.trim()) });
    return {
      result: undefined,
      action: 'verification_settings.changed',
      accountId: null,
      subject: { type: 'verification_settings', id: env.name },
      before: { ...before },
      after: { ...after },
    };
  });
}

const methods = { sms: 'By SMS.', callout: 'Spoken in a call.' };

export const refusedStarts = operatorType('refused_starts', {
  group: 'Verification',
  noun: 'refused start',
  summary: 'A start of a verification that a guard refused, kept for 90 days.',
  from: `(select b.*, a.account_id, a.name as application from verification_blocked_starts b
          join otp_applications a on a.id = b.application_id) t`,
  idColumn: 'md5(t.id::text)::uuid',
  tieBreak: 't.id desc',
  endpoints: { read: false },
  ...endless,
  attributes: {
    destination: text({ doc: 'The phone, with its country code.' }),
    delivery_method: text({ values: methods, doc: 'How the code was to be sent.' }),
    address: text({ doc: 'The address of the client.' }),
    reason: text({ doc: 'The guard that refused it.' }),
    application: text({ doc: 'The name of the application.' }),
    created_at: dateTime({ doc: 'When.' }),
  },
  relationships: { account },
  filters: {
    destination: numberFrom('t.destination'),
    reason: anyOf('t.reason'),
    address: anyOf('t.address'),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  // Ids are given in the order of time, and have an index.
  sort: { created_at: 't.id' },
  defaultSort: '-created_at',
});
