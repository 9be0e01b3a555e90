/** Carriers and providers of codes with their health and what they did in the last day. Secrets are not shown. */
import { boolean, dateTime, integer, list, text } from '../jsonapi/attributes.ts';
import { anyOf, flag } from '../jsonapi/filters.ts';
import { operatorType } from './context.ts';

/** Of the last 24 hours by the environment's clock. */
const recent = `environment_time.now() - interval '1 day'`;
const out = (condition: string) =>
  `(select count(*)::int from cdrs_out o where o.carrier_id = t.id and o.time_start >= ${recent}${condition})`;

export const carriers = operatorType('carriers', {
  group: 'Carriers and providers',
  noun: 'carrier',
  summary: 'A network that brings calls to our numbers or takes outbound calls.',
  attributes: {
    name: text({ doc: 'Used once.' }),
    enabled: boolean({ doc: 'Whether calls are taken from it and sent to it.' }),
    priority: integer({ doc: 'The lowest goes first.' }),
    host: text({ nullable: true, doc: 'Where calls are sent to.' }),
    port: integer({ nullable: true, doc: 'Null if DNS says it.' }),
    transport: text({ doc: 'How calls are sent to it.' }),
    addresses: list({ type: 'string' }, { column: 't.addresses::text[]', doc: 'Where its calls come from.' }),
    calls_out: integer({ column: out(''), doc: 'Outbound calls of the last 24 hours.' }),
    calls_out_answered: integer({ column: out(' and o.success'), doc: 'Those that were answered.' }),
    calls_out_failed: integer({
      column: out(' and o.disconnect_code >= 500'),
      doc: 'Those that failed at the carrier.',
    }),
    created_at: dateTime({ doc: 'When it was added.' }),
  },
  filters: { name: anyOf('t.name'), enabled: flag('t.enabled') },
  sort: ['name', 'priority'],
  defaultSort: 'name',
});

const sent = (condition: string) =>
  `(select count(*)::int from verification_sent_messages m where m.provider_id = t.id and m.sent_at >= ${recent}${condition})`;

export const providers = operatorType('providers', {
  group: 'Carriers and providers',
  noun: 'provider',
  summary: 'Who delivers codes, by HTTP or SMPP.',
  table: 'verification_providers',
  attributes: {
    name: text({ doc: 'Used once.' }),
    kind: text({ values: { http: 'By HTTP.', smpp: 'By SMPP.' }, doc: 'How it is spoken to.' }),
    enabled: boolean({ doc: 'Whether routes may use it.' }),
    failures: integer({ doc: 'Failures in a row.' }),
    set_aside_until: dateTime({ nullable: true, doc: 'Until when it is used last, because it failed.' }),
    last_failure: text({ nullable: true, doc: 'What went wrong last.' }),
    last_failure_at: dateTime({ nullable: true, doc: 'When.' }),
    messages_sent: integer({ column: sent(''), doc: 'Messages of the last 24 hours.' }),
    messages_delivered: integer({ column: sent(` and m.receipt = 'delivered'`), doc: 'Those with a good receipt.' }),
    messages_failed: integer({ column: sent(` and m.receipt = 'failed'`), doc: 'Those with a bad receipt.' }),
    created_at: dateTime({ doc: 'When it was added.' }),
  },
  filters: { name: anyOf('t.name'), enabled: flag('t.enabled') },
  sort: ['name'],
  defaultSort: 'name',
});
