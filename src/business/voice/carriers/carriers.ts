/** The carriers that bring calls in and take calls out: creates, changes, lists and removes them. */
import { isIP } from 'node:net';
import { type Selectable, sql } from 'kysely';
import { OperatorError } from '../../../base/operator-error.ts';
import { withConstraintErrors } from '../../../base/violated-constraint.ts';
import type { CarriersTable } from '../../../engines/db/tables/voice.ts';
import type { Environment } from '../../../engines/environment.ts';
import { checkAllowedIps } from '../../accounts/allowed-ips.ts';
import { seal } from '../../accounts/secret.ts';
import type { SipSwitches } from '../sip-switches.ts';

export interface CarrierSettings extends SipSwitches {
  name: string;
  /** Addresses and networks from which it sends calls. */
  addresses: readonly string[];
  /** Decides between carriers with the same network: the lowest. */
  priority: number;
  /** Leading digits of the numbers to which it may send calls; null or none for all numbers. */
  prefixes: readonly string[] | null;
  enabled: boolean;
  transport: Selectable<CarriersTable>['transport'];
  /** Where calls are sent to; null for a carrier that only brings calls. */
  host: string | null;
  /** Null if DNS says it. */
  port: number | null;
  /** Whether its certificate is checked if calls are sent to it by TLS. */
  verifyCertificate: boolean;
  /** The name that its certificate must be for; null for its host. */
  certificateName: string | null;
  /** Countries (ISO codes) of the callers whose emergency calls it takes; `all` for every country. */
  emergencyCountries: readonly string[];
  /** Digest credentials for calls that are sent to it. */
  credentials: { username: string; password: string } | null;
  /** Whether calls that are sent to it are signed, once there is a certificate. */
  signCalls: boolean;
}

/** Returns the id. */
export async function createCarrier(
  env: Environment,
  settings: Partial<CarrierSettings> & Pick<CarrierSettings, 'name'>,
): Promise<string> {
  const columns = await columnsOf(env, settings);
  const { id } = await saying(settings.name, () =>
    env.db
      .insertInto('carriers')
      .values({ name: settings.name, created_at: env.clock.now(), ...columns })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return id;
}

/** Changes the given settings; a list replaces the stored one. */
export async function updateCarrier(env: Environment, name: string, settings: Partial<CarrierSettings>): Promise<void> {
  const columns = await columnsOf(env, settings);
  if (Object.keys(columns).length === 0) throw new OperatorError('Nothing is given that could be changed.');
  const { numUpdatedRows } = await saying(settings.name ?? name, () =>
    env.db.updateTable('carriers').set(columns).where('name', '=', name).executeTakeFirstOrThrow(),
  );
  if (numUpdatedRows === 0n) throw noCarrier(name);
}

export async function removeCarrier(env: Environment, name: string): Promise<void> {
  const { numDeletedRows } = await env.db.deleteFrom('carriers').where('name', '=', name).executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw noCarrier(name);
}

export function listCarriers(env: Environment): Promise<Selectable<CarriersTable>[]> {
  return env.db.selectFrom('carriers').selectAll().orderBy('priority').orderBy('name').execute();
}

export const noCarrier = (name: string): OperatorError => new OperatorError(`There is no carrier named "${name}".`);

/** Separates the sealed passwords of carriers from other secrets. */
export const carrierSecretPurpose = 'carrier';

function saying<T>(name: string, work: () => Promise<T>): Promise<T> {
  return withConstraintErrors(
    {
      carriers_name: () => new OperatorError(`There is a carrier named "${name}" already.`),
      carriers_port_needs_host: () => new OperatorError('A carrier with a port needs a host.'),
    },
    work,
  );
}

async function columnsOf(env: Environment, settings: Partial<CarrierSettings>) {
  const { name, addresses, prefixes, host, emergencyCountries, credentials, ...others } = settings;
  const { verifyCertificate, certificateName, userPhone, reliable, signCalls, ...plain } = others;
  return {
    ...plain,
    ...(name !== undefined && { name: checkedName(name) }),
    ...(addresses !== undefined && { addresses: networks(addresses) }),
    ...(prefixes !== undefined && { prefixes: prefixes?.length ? prefixes.map(checkedPrefix) : null }),
    ...(host !== undefined && { host: host === null ? null : checkedHost(host) }),
    ...(verifyCertificate !== undefined && { verify_certificate: verifyCertificate }),
    ...(signCalls !== undefined && { sign_calls: signCalls }),
    ...(userPhone !== undefined && { user_phone: userPhone }),
    ...(reliable !== undefined && { reliable_provisionals: reliable }),
    ...(certificateName !== undefined && {
      certificate_name: certificateName === null ? null : checkedHost(certificateName),
    }),
    ...(emergencyCountries !== undefined && { emergency_countries: await checkedCountries(emergencyCountries) }),
    ...(credentials !== undefined && {
      username: credentials === null ? null : checkedText('A user name', credentials.username),
      sealed_password:
        credentials === null
          ? null
          : seal(env.serverKey, carrierSecretPurpose, checkedText('A password', credentials.password)),
    }),
  };
}

/** cidr rejects an address with bits beyond its mask; network() removes them. */
const networks = (addresses: readonly string[]) =>
  sql<string[]>`array(select network(a::inet) from unnest(${checkAllowedIps(addresses)}::text[]) a)`;

function checkedName(name: string): string {
  if (!/^(?=.*\S)[^\p{Cc}]{1,255}$/u.test(name))
    throw new OperatorError('A carrier has a name of 1 to 255 characters.');
  return name;
}

function checkedPrefix(prefix: string): string {
  if (!/^\d{1,15}$/.test(prefix)) throw new OperatorError(`"${prefix}" is not a prefix of digits.`);
  return prefix;
}

/**
 * The plans of all countries are loaded only here: reading them costs every command that lists carriers more than the
 * list.
 */
async function checkedCountries(countries: readonly string[]): Promise<string[]> {
  const { isSupportedCountry } = await import('libphonenumber-js/max');
  const unknown = countries.find((country) => country !== 'all' && !isSupportedCountry(country));
  if (unknown !== undefined) throw new OperatorError(`"${unknown}" is not a country code such as US, or "all".`);
  return [...countries];
}

/** These texts are sent in SIP headers, where a line break would begin another header. */
function checkedText(what: string, text: string): string {
  if (!/^[^\p{Cc}]{1,255}$/u.test(text)) {
    throw new OperatorError(`${what} has 1 to 255 characters, without control characters.`);
  }
  return text;
}

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

function checkedHost(host: string): string {
  if (isIP(host) === 0 && !hostName.test(host)) throw new OperatorError(`"${host}" is not a host name or an address.`);
  return host;
}
