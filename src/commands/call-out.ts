/** `trunkline call simulate-out`: one outbound call through a trunk, with the real decision, CDR and charge. */
import { sql } from 'kysely';
import type { Environment } from '../environment.ts';
import { OperatorError } from '../operator-error.ts';
import { outboundReasons } from '../voice/outbound/decide.ts';
import { simulateOutbound } from '../voice/simulate.ts';
import { voiceOf } from '../voice/voice.ts';
import { defineCommand } from './command.ts';
import { environmentOptions, withEnvironment } from './open-environment.ts';

export const callSimulateOutCommand = defineCommand({
  name: 'call simulate-out',
  summary: 'Place a simulated call out through a trunk of the sandbox and show whether it may, and what it costs.',
  positionals: ['TRUNK-ID', 'FROM', 'TO'],
  options: {
    data: environmentOptions.data,
    ip: { type: 'string', value: 'ADDRESS', summary: "where it comes from (the first of the trunk's list)" },
    code: { type: 'string', value: 'STATUS', summary: 'what the destination answers (200)' },
    talk: { type: 'string', value: 'SECONDS', summary: 'how long it lasts once answered (30)' },
  },
  notes:
    "The call carries the trunk's own credentials. TO is as dialled, with the tech prefix where the trunk has one.",
  run: async ({ values, positionals: [trunkId = '', from = '', to = ''], out }) => {
    const script = numbersOf(values.code, values.talk);
    await withEnvironment({ ...values, env: 'sandbox' }, (env) =>
      showOutboundCall(env, { trunkId, from, to, ip: values.ip ?? null }, script, out),
    );
  },
});

export interface OutboundCallOptions {
  trunkId: string;
  from: string;
  to: string;
  ip: string | null;
}

export async function showOutboundCall(
  env: Environment,
  ask: OutboundCallOptions,
  script: { code: number; talk_seconds: number },
  out: (line: string) => void,
): Promise<void> {
  const trunk = await findTrunk(env, ask.trunkId);
  const voice = await voiceOf(env);
  try {
    const request = {
      sourceIp: ask.ip ?? trunk.address,
      digest: trunk.username === null ? null : { username: trunk.username, valid: true },
      twilioAccountSid: trunk.sid,
      from: ask.from,
      to: ask.to,
    };
    out(`${ask.from} calls ${ask.to} from ${request.sourceIp} through "${trunk.name}"`);
    const done = await simulateOutbound(voice, request, { ...script, ring_seconds: 2 });
    if ('refused' in done) {
      const reason = done.refused === 'challenged' ? 'Credentials are asked for' : outboundReasons[done.refused];
      return out(`refused with ${done.code}: ${reason}`);
    }
    const { call } = done;
    const cdr = await env.db
      .selectFrom('cdrs_out')
      .selectAll()
      .where('call_id', '=', call.id)
      .executeTakeFirstOrThrow();
    out(
      `shown as ${call.srcNumber}, ${call.rate?.perMinute ?? 0} a minute${call.country === null ? '' : ` (${call.country})`}`,
    );
    out(
      `${cdr.disconnect_code} ${cdr.disconnect_reason} after ${cdr.duration} s, charged ${cdr.price} (call ${call.id})`,
    );
  } finally {
    await voice.stop();
  }
}

async function findTrunk(env: Environment, id: string) {
  const { rows } = await sql<{ name: string; address: string | null; username: string | null; sid: string | null }>`
    select name, host(allowed_networks[1]) as address, authentication->>'username' as username,
           authentication->>'twilio_account_sid' as sid
    from voice_out_trunks where id::text = ${id}
  `.execute(env.db);
  const [trunk] = rows;
  if (trunk === undefined) throw new OperatorError(`There is no outbound trunk ${id} in ${env.name}.`);
  return { ...trunk, address: trunk.address ?? '127.0.0.1' };
}

function numbersOf(code = '200', talk = '30'): { code: number; talk_seconds: number } {
  if (!/^[2-6]\d\d$/.test(code)) throw new OperatorError(`"${code}" is not a SIP status such as 486.`);
  if (!/^\d{1,5}$/.test(talk)) throw new OperatorError(`"${talk}" is not a number of seconds.`);
  return { code: Number(code), talk_seconds: Number(talk) };
}
