/**
 * Finds the carriers for an outbound call in the order in which they are tried: the longest prefix first, then by
 * priority, and by weight among equal priorities. A carrier that is down comes after all others.
 */
import { sql } from 'kysely';
import type { Environment } from '../../../engines/environment.ts';
import { Secret, unseal } from '../../accounts/secret.ts';
import { rateColumns } from '../inbound/route.ts';
import { orderTrunks, type Random, type Ranked } from '../inbound/trunk-order.ts';
import type { CarrierRoute } from '../outbound/place-call.ts';
import { type SipSwitches, switchesOf } from '../sip-switches.ts';
import { type CarrierSettings, carrierSecretPurpose } from './carriers.ts';

/** A route with what SIP needs to send the call to the carrier. */
export interface CarrierTarget extends CarrierRoute {
  readonly host: string;
  /** Null if DNS says it. */
  readonly port: number | null;
  readonly transport: CarrierSettings['transport'];
  /** It did not answer OPTIONS a moment ago, so it is tried after the others. */
  readonly isDown: boolean;
  /** How its certificate is checked, over TLS. */
  readonly tls: { readonly verify: boolean; readonly name: string | null };
  readonly credentials: { readonly username: string; readonly password: Secret } | null;
  readonly switches: SipSwitches;
  /** Whether calls that are sent to it are signed, if there is a certificate. */
  readonly signsCalls: boolean;
}

/** For any account. */
type FindCarriers = (destination: string, emergencyCountry: string | null) => Promise<readonly CarrierTarget[]>;

export function createRouteFinder(env: Environment, random?: Random): FindCarriers {
  return async (destination, emergencyCountry) =>
    emergencyCountry === null
      ? downLast(inOrder(await readRoutes(env, destination), random)).map((route) =>
          targetOf(env, route, isCarrierFailure),
        )
      : downLast(await readEmergencyCarriers(env, emergencyCountry)).map((route) => targetOf(env, route, () => true));
}

/** One carrier, whatever the routes say and also when it is switched off. Null if there is none, or no host of it. */
export async function findCarrier(env: Environment, id: string): Promise<CarrierTarget | null> {
  const { rows } = await sql<FoundCarrier>`
    select ${carrierColumns(env)}, null as cost from carriers c where c.id = ${id} and c.host is not null
  `.execute(env.db);
  const [found] = rows;
  return found === undefined ? null : targetOf(env, found, isCarrierFailure);
}

interface FoundCarrier extends Pick<CarrierTarget, 'host' | 'port' | 'transport' | 'cost' | 'switches' | 'signsCalls'> {
  id: string;
  name: string;
  username: string | null;
  sealedPassword: string | null;
  verifyCertificate: boolean;
  certificateName: string | null;
  /** It did not answer OPTIONS a moment ago. */
  isDown: boolean;
}

interface FoundRoute extends Ranked, FoundCarrier {
  prefix: string;
}

const carrierColumns = (env: Environment) => sql`
  c.id, c.name, c.host, c.port, c.transport, c.username, c.sealed_password as "sealedPassword",
  c.verify_certificate as "verifyCertificate", c.certificate_name as "certificateName", c.sign_calls as "signsCalls",
  ${sql.raw(switchesOf('c'))} as switches,
  exists (select from sip_peers p where p.carrier_id = c.id and p.state = 'down'
          and p.checked_at > ${new Date(env.clock.now().getTime() - downCountsMs)}) as "isDown"`;

/** Those that are down are tried last, in the same order: they may be back. */
const downLast = <C extends FoundCarrier>(found: readonly C[]): C[] => [
  ...found.filter(({ isDown }) => !isDown),
  ...found.filter(({ isDown }) => isDown),
];

/** A carrier to which several prefixes lead is tried once, at its first place. */
function inOrder(found: readonly FoundRoute[], random?: Random): FoundRoute[] {
  const byLength = Map.groupBy(found, ({ prefix }) => prefix.length);
  const lengths = [...byLength.keys()].sort((a, b) => b - a);
  const ordered = lengths.flatMap((length) => orderTrunks(byLength.get(length) ?? [], random));
  return ordered.filter((route, index) => ordered.findIndex(({ id }) => id === route.id) === index);
}

async function readRoutes(env: Environment, destination: string): Promise<FoundRoute[]> {
  const prefixes = sql`(select left(${destination}, n) from generate_series(0, length(${destination})) n)`;
  const { rows } = await sql<FoundRoute>`
    select ${carrierColumns(env)}, r.prefix, r.priority, r.weight,
           (select ${sql.raw(rateColumns('x'))} from carrier_rates x
            where x.carrier_id = c.id and x.prefix in ${prefixes} order by length(x.prefix) desc limit 1) as cost
    from carrier_routes r join carriers c on c.id = r.carrier_id
    where r.prefix in ${prefixes} and c.enabled and c.host is not null
    order by c.name
  `.execute(env.db);
  return rows;
}

/**
 * Those marked for the country before those marked for all, then by priority. After any failure the next is tried. The
 * rates of carriers are for ordinary numbers, so the cost is not known.
 */
async function readEmergencyCarriers(env: Environment, country: string): Promise<FoundCarrier[]> {
  const { rows } = await sql<FoundCarrier>`
    select ${carrierColumns(env)}, null as cost from carriers c
    where c.emergency_countries && array[${country}, 'all']::text[] and c.enabled and c.host is not null
    order by ${country} = any(c.emergency_countries) desc, c.priority, c.name
  `.execute(env.db);
  return rows;
}

function targetOf(env: Environment, found: FoundCarrier, isRerouted: CarrierTarget['isRerouted']): CarrierTarget {
  const { id, name, username, sealedPassword, host, port, transport, cost, isDown, switches, signsCalls } = found;
  const tls = { verify: found.verifyCertificate, name: found.certificateName };
  const credentials =
    username === null || sealedPassword === null
      ? null
      : { username, password: new Secret(unseal(env.serverKey, carrierSecretPurpose, sealedPassword)) };
  const carrier = { id, name };
  return { carrier, cost, isRerouted, host, port, transport, tls, credentials, switches, signsCalls, isDown };
}

/** What was found longer ago than this does not count: nobody asks any more. */
const downCountsMs = 10 * 60_000;

/** Codes that say that this carrier cannot complete the call; another may. Other codes come from the called party. */
const refusedByCarrier: ReadonlySet<number> = new Set([401, 402, 403, 407, 408, 429, 488]);

export const isCarrierFailure = (code: number): boolean => refusedByCarrier.has(code) || (code >= 500 && code < 600);
