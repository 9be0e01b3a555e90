/**
 * The carriers with their settings, health and what they did in the last day; secrets can be set and are never shown.
 */

import { OperatorError } from '../../../base/operator-error.ts';
import type { CarrierSettings } from '../../../business/voice/carriers/carriers.ts';
import { boolean, dateTime, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { anyOf, flag } from '../../../engines/jsonapi/filters.ts';
import { carrierSound } from '../../platform/call-sound.ts';
import { peerHealth } from '../../platform/peer-health.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { addCarrier, changeCarrier, dropCarrier } from './carriers.writes.ts';
import { nameContains, recent, whyChanged } from './shared-members.ts';

const out = (condition: string) =>
  `(select count(*)::int from cdrs_out o where o.carrier_id = t.id and o.time_start >= ${recent}${condition})`;

const transports = { udp: 'SIP over UDP.', tcp: 'SIP over TCP.', tls: 'SIP over TLS.' };

const reliableTexts = {
  off: 'Not offered.',
  supported: 'Offered; the carrier decides.',
  required: 'Demanded.',
};

export const carriers = operatorType('carriers', {
  group: 'Carriers and providers',
  noun: 'carrier',
  deleteVerb: 'Remove',
  summary: 'A network that brings calls to our numbers or takes outbound calls.',
  attributes: {
    name: text({ write: 'both', required: true, doc: 'Used once.' }),
    enabled: boolean({ write: 'both', doc: 'Whether calls are taken from it and sent to it.' }),
    priority: integer({
      write: 'both',
      min: 0,
      max: 65_535,
      doc: 'The lowest goes first among carriers that share a network.',
    }),
    host: text({
      write: 'both',
      nullable: true,
      doc: 'Where calls are sent to; null for a carrier that only brings calls.',
    }),
    port: integer({ write: 'both', nullable: true, min: 1, max: 65_535, doc: 'Null if DNS says it.' }),
    transport: text({ write: 'both', values: transports, doc: 'How calls are sent to it.' }),
    verify_certificate: boolean({
      write: 'both',
      doc: 'Whether its certificate is checked, if calls go to it by TLS.',
    }),
    certificate_name: text({
      write: 'both',
      nullable: true,
      doc: 'The name that its certificate must be for; null for its host.',
    }),
    user_phone: boolean({ write: 'both', doc: 'Whether numbers sent to it are marked with `user=phone`.' }),
    reliable_provisionals: text({
      write: 'both',
      values: reliableTexts,
      doc: 'Reliable provisional responses (100rel, PRACK) of calls that are sent to it.',
    }),
    sign_calls: boolean({
      write: 'both',
      doc: 'Whether calls sent to it are signed (STIR/SHAKEN), once there is a certificate; yes if left out.',
    }),
    origid: text({ doc: 'What signatures name as the origin of calls that it brings and that are forwarded.' }),
    ...peerHealth('carrier_id'),
    ...carrierSound,
    addresses: list(
      { type: 'string' },
      { write: 'both', column: 't.addresses::text[]', doc: 'Addresses and networks that its calls come from.' },
    ),
    prefixes: list(
      { type: 'string' },
      { write: 'both', nullable: true, doc: 'First digits of the numbers that it may call; null for all.' },
    ),
    emergency_countries: list(
      { type: 'string' },
      { write: 'both', doc: 'Countries of the callers whose emergency calls it takes, or `all`.' },
    ),
    username: text({ write: 'both', nullable: true, doc: 'For digest authentication of calls that are sent to it.' }),
    password: text({ write: 'both', writeOnly: true, nullable: true, doc: 'Goes with `username`; never shown.' }),
    has_password: boolean({ column: 't.sealed_password is not null', doc: 'Whether a password is stored.' }),
    calls_out: integer({ column: out(''), doc: 'Outbound calls of the last 24 hours.' }),
    calls_out_answered: integer({ column: out(' and o.success'), doc: 'Those that were answered.' }),
    calls_out_failed: integer({
      column: out(' and o.disconnect_code >= 500'),
      doc: 'Those that failed at the carrier.',
    }),
    created_at: dateTime({ doc: 'When it was added.' }),
    ...whyChanged,
  },
  filters: { name: anyOf('t.name'), ...nameContains, enabled: flag('t.enabled') },
  sort: ['name', 'priority'],
  defaultSort: 'name',
  create: (context, { attributes }) =>
    refusing(() =>
      addCarrier(actingOf(context, attributes.reason), { name: attributes.name, ...settingsIn(attributes) }),
    ),
  update: (context, id, { attributes }) =>
    refusing(() => changeCarrier(actingOf(context, attributes.reason), { id }, settingsIn(attributes))),
  delete: (context, id) => refusing(() => dropCarrier(actingOf(context), { id })),
});

type SentCarrier = Pick<CarrierSettings, 'name'> &
  Partial<Pick<CarrierSettings, 'enabled' | 'priority' | 'host' | 'port' | 'transport' | 'addresses' | 'prefixes'>> & {
    verify_certificate?: boolean;
    certificate_name?: string | null;
    user_phone?: boolean;
    reliable_provisionals?: CarrierSettings['reliable'];
    sign_calls?: boolean;
    emergency_countries?: string[];
    username?: string | null;
    password?: string | null;
    reason?: string;
  };

function settingsIn(sent: Partial<SentCarrier>): Partial<CarrierSettings> {
  const { emergency_countries: emergencyCountries, username, password, reason: _reason, ...others } = sent;
  const { verify_certificate: verifyCertificate, certificate_name: certificateName, ...more } = others;
  const { user_phone: userPhone, reliable_provisionals: reliable, sign_calls: signCalls, ...settings } = more;
  return {
    ...settings,
    ...(verifyCertificate === undefined ? {} : { verifyCertificate }),
    ...(certificateName === undefined ? {} : { certificateName }),
    ...(userPhone === undefined ? {} : { userPhone }),
    ...(reliable === undefined ? {} : { reliable }),
    ...(signCalls === undefined ? {} : { signCalls }),
    ...(emergencyCountries === undefined ? {} : { emergencyCountries }),
    ...credentialsIn(username, password),
  };
}

/** Both or none, so that a password never meets the user name of another one. */
function credentialsIn(
  username?: string | null,
  password?: string | null,
): Pick<CarrierSettings, 'credentials'> | object {
  if (username === undefined && password === undefined) return {};
  if (username === null && password == null) return { credentials: null };
  if (username == null || password == null) throw new OperatorError('A user name and its password are sent together.');
  return { credentials: { username, password } };
}
