/** The providers of codes with their settings, health and what they did in the last day, and the routes to them. */
import { boolean, dateTime, integer, plainObject, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, flag } from '../../../engines/jsonapi/filters.ts';
import { shownSettings } from '../../verification/delivery/manage-providers.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { addProvider, changeProvider, dropProvider } from './providers.writes.ts';
import { changeProviderRoute, dropProviderRoute, setProviderRoute } from './routes.writes.ts';
import { nameContains, recent, whyChanged } from './shared-members.ts';

const sent = (condition: string) =>
  `(select count(*)::int from verification_sent_messages m where m.provider_id = t.id and m.sent_at >= ${recent}${condition})`;

const kinds = { http: 'By HTTP.', smpp: 'By SMPP.' };
const methods = { sms: 'By SMS.', callout: 'Spoken in a call.' };

export const providers = operatorType('providers', {
  group: 'Carriers and providers',
  noun: 'provider',
  deleteVerb: 'Remove',
  summary: 'Who delivers codes, by HTTP or SMPP.',
  table: 'verification_providers',
  attributes: {
    name: text({ write: 'create', required: true, doc: 'Used once; letters, digits, `-` and `_`.' }),
    kind: text({ write: 'create', required: true, values: kinds, doc: 'How it is spoken to.' }),
    enabled: boolean({ write: 'both', doc: 'Whether routes may use it.' }),
    settings: {
      ...plainObject(
        'provider_settings',
        {},
        {
          write: 'both',
          required: true,
          doc: 'As in docs/verification.md; `{{SECRET}}` stands for the secret. Sent settings replace the former ones. Header values that look like credentials are shown as `***`.',
        },
      ),
      decode: shownSettings,
    },
    secret: text({ write: 'both', writeOnly: true, nullable: true, doc: 'Password or token; never shown.' }),
    has_secret: boolean({ column: 't.sealed_secret is not null', doc: 'Whether a secret is stored.' }),
    receipt_secret: text({
      write: 'update',
      writeOnly: true,
      nullable: true,
      doc: 'What its delivery receipts must have, as a bearer token, as the password of Basic or as `secret` in the query: 16 to 256 printable characters, never shown. Null refuses all receipts. They are sent to `/providers/{name}/receipts`; only HTTP providers have it.',
    }),
    has_receipt_secret: boolean({ column: 't.sealed_receipt_secret is not null', doc: 'Whether receipts are taken.' }),
    failures: integer({ doc: 'Failures in a row.' }),
    set_aside_until: dateTime({ nullable: true, doc: 'Until when it is used last, because it failed.' }),
    last_failure: text({ nullable: true, doc: 'What went wrong last.' }),
    last_failure_at: dateTime({ nullable: true, doc: 'When.' }),
    messages_sent: integer({ column: sent(''), doc: 'Messages of the last 24 hours.' }),
    messages_delivered: integer({ column: sent(` and m.receipt = 'delivered'`), doc: 'Those with a good receipt.' }),
    messages_failed: integer({ column: sent(` and m.receipt = 'failed'`), doc: 'Those with a bad receipt.' }),
    created_at: dateTime({ doc: 'When it was added.' }),
    ...whyChanged,
  },
  filters: { name: anyOf('t.name'), ...nameContains, enabled: flag('t.enabled') },
  sort: ['name'],
  defaultSort: 'name',
  create: (context, { attributes: { reason, ...provider } }) =>
    refusing(() => addProvider(actingOf(context, reason), provider)),
  update: (context, id, { attributes: { reason, ...changes } }) =>
    refusing(() => changeProvider(actingOf(context, reason), { id }, changes)),
  delete: (context, id) => refusing(() => dropProvider(actingOf(context), { id })),
});

export const providerRoutes = operatorType('provider_routes', {
  group: 'Carriers and providers',
  noun: 'provider route',
  deleteVerb: 'Remove',
  summary: 'Which provider gets codes for numbers with a prefix: the longest prefix, then the lowest priority.',
  table: 'verification_routes',
  attributes: {
    delivery_method: text({ write: 'create', required: true, values: methods, doc: 'For codes sent this way.' }),
    prefix: text({
      write: 'create',
      pattern: '^[0-9]{0,15}$',
      mayBeEmpty: true,
      doc: 'First digits of the number; empty, or left out, for all.',
    }),
    priority: integer({ write: 'both', min: -999_999, max: 999_999, doc: 'The lowest goes first; 10 if left out.' }),
    ...whyChanged,
  },
  relationships: { provider: toOne('providers', { write: 'create', required: true, doc: 'Who gets the codes.' }) },
  filters: {
    'provider.id': anyId('t.provider_id'),
    delivery_method: anyOf('t.delivery_method', { values: methods }),
    prefix: anyOf(`nullif(t.prefix, '')`, { blank: true }),
  },
  sort: ['prefix', 'priority'],
  defaultSort: 'prefix',
  create: (context, { attributes, relationships: { provider } }) => {
    const { delivery_method: deliveryMethod, prefix = '', priority = 10, reason } = attributes;
    const route = { deliveryMethod, prefix, provider: { id: provider.id } };
    return refusing(() => setProviderRoute(actingOf(context, reason), route, priority));
  },
  update: (context, id, { attributes: { priority, reason } }) =>
    refusing(() => changeProviderRoute(actingOf(context, reason), id, priority)),
  delete: (context, id) => refusing(() => dropProviderRoute(actingOf(context), { id })),
});
