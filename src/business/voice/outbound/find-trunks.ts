/** Reads from the database what the decision about an outbound call needs. */
import { sql } from 'kysely';
import type { Environment } from '../../../engines/environment.ts';
import { parseAmount } from '../../money/decimal.ts';
import { isEmergencyNumber } from '../emergency-numbers.ts';
import { rateColumns, streamsOf } from '../inbound/route.ts';
import { accountOfPhone, type PhoneUser } from '../phone-credentials.ts';
import type { Rate } from '../rates.ts';
import type { OutboundFacts, OutboundRequest, OutboundTrunk } from './decide.ts';

/**
 * Trunks that the request could belong to: by an allowed address, or by Twilio account and one of Twilio's addresses.
 * The account is a header that anybody could send.
 */
export async function candidateTrunks(env: Environment, request: OutboundRequest): Promise<OutboundTrunk[]> {
  const { rows } = await sql<OutboundTrunk>`
    select ${trunkColumns} from voice_out_trunks t
    where case t.authentication_type
      when 'twilio' then lower(t.authentication->>'twilio_account_sid') = lower(${request.twilioAccountSid}::text)
        and ${request.sourceIp}::inet <<= any(${twilioNetworks(env)}::inet[])
      else ${request.sourceIp}::inet <<= any(t.allowed_networks) end
  `.execute(env.db);
  return rows;
}

/**
 * The trunk that a phone in the browser calls through, from any address: whoever gave it its credentials was signed in.
 */
export async function trunkOfPhone(
  env: Environment,
  credentials: NonNullable<OutboundRequest['digest']>,
  user: PhoneUser,
): Promise<OutboundTrunk | null> {
  const accountId = user.direction === 'out' ? await accountOfPhone(env, credentials, user) : null;
  if (accountId === null) return null;
  const { rows } = await sql<OutboundTrunk>`
    select ${trunkColumns} from voice_out_trunks t
    where t.id = ${user.trunkId} and t.account_id = ${accountId}`.execute(env.db);
  // Nobody dials the prefix that tells apart customers of one address.
  return rows[0] === undefined ? null : { ...rows[0], techPrefix: '' };
}

const trunkColumns = sql.raw(`
  t.id, t.account_id as "accountId", t.name, t.status, t.authentication_type as authentication,
  coalesce(t.authentication->>'tech_prefix', '') as "techPrefix",
  t.authentication->>'username' as username, t.authentication->>'password' as password`);

/** A sandbox is tried out from its own machine. */
const twilioNetworks = ({ name, calls }: Environment): readonly string[] =>
  name === 'sandbox' ? [...calls.twilioNetworks, '127.0.0.0/8', '::1/128'] : calls.twilioNetworks;

/** What the trunk demands of the media of its calls; the SIP layer applies it to the customer's leg. */
export interface OutboundMedia {
  encryptionMode: 'disabled' | 'srtp_sdes' | 'srtp_dtls' | 'zrtp';
  allowedRtpIps: readonly string[] | null;
  forceSymmetricRtp: boolean;
  rtpPing: boolean;
  /** Seconds. */
  rtpTimeout: number;
}

export interface OutboundSituation {
  facts: OutboundFacts;
  rate: (Rate & { country: string | null; network: string | null }) | null;
  vatRate: string;
  streams: string[];
  media: OutboundMedia;
  origin: AccountOrigin;
}

/** What a signature of the call says about where it comes from. */
export interface AccountOrigin {
  /** Of the account; the same for all of its calls. */
  readonly origid: string;
  /** Whether the number that calls is one of the account's, for this trunk or any other. */
  readonly ownsCaller: boolean;
}

type Situation = Omit<OutboundFacts, 'trunk' | 'inUse' | 'hasRate' | 'spendable'> &
  Pick<OutboundTrunk, 'status'> & { spendable: string };

export async function situationOf(
  env: Environment,
  trunk: OutboundTrunk,
  { from, destination }: { from: string; destination: string },
): Promise<OutboundSituation | null> {
  const emergencyCaller = isEmergencyNumber(destination) ? emergencyCallerSql(from) : sql`null`;
  const usable = sql.raw(
    'd.activated_at is not null and not d.terminated and not d.awaiting_registration and not d.blocked_by_staff',
  );
  const { rows } = await sql<Situation & Omit<OutboundSituation, 'facts'>>`
    select t.status, a.suspended_at is not null as suspended, t.threshold_reached as "thresholdReached",
           t.capacity_limit as "capacityLimit",
           t.default_dst_action as "defaultDstAction", t.dst_prefixes as "dstPrefixes",
           t.on_cli_mismatch_action as "onCliMismatch",
           case when t.allow_any_did_as_cli
             then array(select d.number from dids d where d.account_id = t.account_id and ${usable})
             else array(select d.number from dids d join voice_out_trunk_dids l on l.did_id = d.id
                        where l.voice_out_trunk_id = t.id and ${usable}) end as "cliNumbers",
           (select d.number from dids d where d.id = t.default_did_id and ${usable}) as "defaultNumber",
           (select ${sql.raw(rateColumns('r'))}::jsonb || jsonb_build_object('country', r.country, 'network', r.network)
            from voice_rate('termination', t.account_id, ${destination}) r) as rate,
           ${emergencyCaller} as "emergencyCaller",
           (a.balance + a.credit)::text as spendable, a.vat_rate as "vatRate", ${sql.raw(streamsOf('a'))} as streams,
           json_build_object('encryptionMode', t.media_encryption_mode, 'allowedRtpIps', t.allowed_rtp_ips,
             'forceSymmetricRtp', t.force_symmetric_rtp, 'rtpPing', t.rtp_ping, 'rtpTimeout', t.rtp_timeout) as media,
           json_build_object('origid', a.origid, 'ownsCaller', exists (select from dids d
             where d.account_id = t.account_id and d.number = ${from.replace(/^\+/, '')} and ${usable})) as origin
    from voice_out_trunks t join accounts a on a.id = t.account_id
    where t.id = ${trunk.id}
  `.execute(env.db);
  const [row] = rows;
  if (row === undefined) return null;
  const { rate: found, vatRate, streams, media, origin, status, ...facts } = row;
  // An emergency call is never charged, whatever prefix its number has.
  const rate = isEmergencyNumber(destination) ? null : found;
  const known = {
    ...facts,
    // Read together with the threshold: the two tell whether the customer or the threshold has blocked the trunk.
    trunk: { ...trunk, status },
    inUse: 0,
    hasRate: rate !== null,
    spendable: parseAmount(facts.spendable),
  };
  return { facts: known, rate, vatRate, streams, media, origin };
}

/** The number that calls, if it is enabled for emergency calls through trunk `t`, with its last approved address. */
const emergencyCallerSql = (from: string) => sql`
  (select json_build_object('number', d.number, 'country', c.iso, 'countryName', c.name, 'address', (
     select json_build_object('name', concat_ws(' ', i.first_name, i.last_name), 'companyName', i.company_name,
              'address', x.address, 'city', x.city_name, 'postalCode', x.postal_code, 'country', xc.iso)
     from emergency_verifications v join addresses x on x.id = v.address_id
     join identities i on i.id = x.identity_id join countries xc on xc.id = x.country_id
     where v.emergency_calling_service_id = d.emergency_calling_service_id and v.status = 'approved'
     order by v.decided_at desc limit 1))
   from voice_out_trunk_emergency_links l join dids d on d.id = l.did_id
   join did_groups g on g.id = d.did_group_id join countries c on c.id = g.country_id
   where l.voice_out_trunk_id = t.id and d.account_id = t.account_id and d.number = ${from.replace(/^\+/, '')}
   limit 1)`;
