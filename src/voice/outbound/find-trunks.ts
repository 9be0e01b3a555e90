/** Reads from the database what the decision about an outbound call needs. */
import { sql } from 'kysely';
import type { Environment } from '../../environment.ts';
import { parseAmount } from '../../money/decimal.ts';
import { rateColumns, streamsOf } from '../inbound/route.ts';
import type { Rate } from '../rates.ts';
import type { OutboundFacts, OutboundRequest, OutboundTrunk } from './decide.ts';

interface TrunkRow {
  id: string;
  account_id: string;
  name: string;
  status: 'active' | 'blocked';
  authentication_type: OutboundTrunk['authentication']['type'];
  authentication: {
    allowed_sip_ips?: string[];
    tech_prefix?: string | null;
    username?: string;
    twilio_account_sid?: string;
  };
}

/** Trunks that the request could belong to: by Twilio account, or by an allowed address. */
export async function candidateTrunks(env: Environment, request: OutboundRequest): Promise<OutboundTrunk[]> {
  const { rows } = await sql<TrunkRow>`
    select t.id, t.account_id, t.name, t.status, t.authentication_type, t.authentication from voice_out_trunks t
    where case t.authentication_type
      when 'twilio' then lower(t.authentication->>'twilio_account_sid') = lower(${request.twilioAccountSid}::text)
      else ${request.sourceIp}::inet <<= any(t.allowed_networks) end
  `.execute(env.db);
  return rows.map(asTrunk);
}

function asTrunk(row: TrunkRow): OutboundTrunk {
  const {
    allowed_sip_ips: allowedIps = [],
    tech_prefix: techPrefix = null,
    username = '',
    twilio_account_sid = '',
  } = row.authentication;
  const authentication: OutboundTrunk['authentication'] =
    row.authentication_type === 'twilio'
      ? { type: 'twilio', accountSid: twilio_account_sid }
      : row.authentication_type === 'ip_only'
        ? { type: 'ip_only', allowedIps, techPrefix }
        : { type: 'credentials_and_ip', allowedIps, techPrefix, username };
  return { id: row.id, accountId: row.account_id, name: row.name, status: row.status, authentication };
}

export interface OutboundSituation {
  facts: OutboundFacts;
  rate: (Rate & { country: string | null; network: string | null }) | null;
  vatRate: string;
  streams: string[];
}

interface SituationRow {
  threshold_reached: boolean;
  capacity_limit: number | null;
  default_dst_action: OutboundFacts['defaultDstAction'];
  dst_prefixes: string[];
  on_cli_mismatch_action: OutboundFacts['onCliMismatch'];
  cli_numbers: string[];
  default_number: string | null;
  rate: OutboundSituation['rate'];
  balance: string;
  credit: string;
  vat_rate: string;
  streams: string[];
}

export async function situationOf(
  env: Environment,
  trunk: OutboundTrunk,
  destination: string,
): Promise<OutboundSituation | null> {
  const usable =
    'd.activated_at is not null and not d.terminated and not d.awaiting_registration and not d.blocked_by_staff';
  const { rows } = await sql<SituationRow>`
    select t.threshold_reached, t.capacity_limit, t.default_dst_action, t.dst_prefixes, t.on_cli_mismatch_action,
           case when t.allow_any_did_as_cli
             then array(select d.number from dids d where d.account_id = t.account_id and ${sql.raw(usable)})
             else array(select d.number from dids d join voice_out_trunk_dids l on l.did_id = d.id
                        where l.voice_out_trunk_id = t.id and ${sql.raw(usable)}) end as cli_numbers,
           (select d.number from dids d where d.id = t.default_did_id and ${sql.raw(usable)}) as default_number,
           (select ${sql.raw(rateColumns('r'))}::jsonb || jsonb_build_object('country', r.country, 'network', r.network)
            from voice_rate('termination', t.account_id, ${destination}) r) as rate,
           a.balance, a.credit, a.vat_rate, ${sql.raw(streamsOf('a'))} as streams
    from voice_out_trunks t join accounts a on a.id = t.account_id
    where t.id = ${trunk.id}
  `.execute(env.db);
  const [row] = rows;
  if (row === undefined) return null;
  return {
    facts: {
      trunk,
      thresholdReached: row.threshold_reached,
      capacityLimit: row.capacity_limit,
      inUse: 0,
      defaultDstAction: row.default_dst_action,
      dstPrefixes: row.dst_prefixes,
      onCliMismatch: row.on_cli_mismatch_action,
      cliNumbers: row.cli_numbers,
      defaultNumber: row.default_number,
      hasRate: row.rate !== null,
      spendable: parseAmount(row.balance) + parseAmount(row.credit),
    },
    rate: row.rate,
    vatRate: row.vat_rate,
    streams: row.streams,
  };
}
