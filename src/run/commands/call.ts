/**
 * `call simulate` and `call simulate-out`: one inbound or outbound call through the real code, shown step by step with
 * the reasons; an outbound call also with its CDR and charge.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { text } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { delivererOf } from '../../business/voice/events/deliverer.ts';
import { listEvents } from '../../business/voice/events/queue.ts';
import { momentOf } from '../../business/voice/moment.ts';
import { type CallScript, type Outcome, simulateInbound, simulateOutbound } from '../../business/voice/simulate.ts';
import { voiceOf } from '../../business/voice/voice.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { argument, defineCommand, option } from './command.ts';
import { environmentOptions, withEnvironment } from './open-environment.ts';
import { money } from './output.ts';

const sipStatus = text(/^[2-6]\d\d$/, 'a SIP status such as 486');
const statusOrTimeout = text(/^[2-6]\d\d$/, 'a SIP status such as 486 or "timeout"');
const seconds = text(/^\d{1,5}(\.\d+)?$/, 'a number of seconds');

export const callCommands = [
  defineCommand({
    name: 'call simulate',
    summary: 'Place a simulated call to a number of the sandbox and show what happens and why.',
    positionals: ['NUMBER'],
    options: {
      data: environmentOptions.data,
      from: { type: 'string', value: 'NUMBER', summary: 'the caller (15550100)' },
      outcomes: { type: 'string', value: 'LIST', summary: 'what each attempt gets, as 486,timeout,200:2 (200:2)' },
      talk: { type: 'string', value: 'SECONDS', summary: 'how long it lasts once answered (30)' },
    },
    notes: [
      'Each outcome is a SIP status, with the seconds it rings before after a colon, or the word timeout. The last one',
      'repeats. The call takes a channel, writes its CDRs and its events, and is charged as a real one would be.',
    ].join('\n'),
    run: async ({ values, positionals, out }) => {
      const didNumber = (positionals[0] ?? '').replace(/^\+/, '');
      const script = {
        outcomes: readOutcomes(values.outcomes ?? '200:2'),
        talk_seconds: Number(option('talk', values.talk, seconds) ?? 30),
      };
      await withEnvironment({ ...values, env: 'sandbox' }, (env) =>
        showCall(env, { didNumber, srcNumber: values.from ?? '15550100' }, script, out),
      );
    },
  }),
  defineCommand({
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
      const script = {
        code: Number(option('code', values.code, sipStatus) ?? 200),
        talk_seconds: Number(option('talk', values.talk, seconds) ?? 30),
      };
      await withEnvironment({ ...values, env: 'sandbox' }, (env) =>
        showOutboundCall(env, { trunkId, from, to, ip: values.ip ?? null }, script, out),
      );
    },
  }),
];

interface Numbers {
  didNumber: string;
  srcNumber: string;
}

export async function showCall(
  env: WholeEnvironment,
  numbers: Numbers,
  script: CallScript,
  out: (line: string) => void,
): Promise<void> {
  const voice = await voiceOf(env);
  const start = momentOf(env.clock);
  try {
    out(`${numbers.srcNumber} calls ${numbers.didNumber}`);
    const note = (text: string) => out(`            ${text}`);
    const step = (at: Date, text: string) => out(`${offset(start, at)}  ${arrowOf(text)} ${text}`);
    const { call, status } = await simulateInbound(voice, { ...numbers, at: start, note }, script, step);
    const code = call.disconnect?.code ?? 200;
    out(
      `${offset(start, call.timeEnd ?? start)}  ■ ${status}, ${code} ${call.disconnect?.reason ?? ''} (call ${call.id})`,
    );
    if (call.accountId !== null) await showEvents(env, call.accountId, call.id, out);
  } finally {
    await delivererOf(env).stop();
    await voice.stop();
  }
}

/** A running server may deliver them first. */
async function showEvents(
  env: WholeEnvironment,
  accountId: string,
  callId: string,
  out: (line: string) => void,
): Promise<void> {
  const read = async () => (await listEvents(env, { accountId, callId, limit: 20 })).reverse();
  let events = await read();
  await delivererOf(env).deliver({ accountId, stream: 'voice_in_events' });
  for (
    let waits = 0;
    waits < 20 && events.some(({ status, attempts }) => status === 'pending' && attempts === 0);
    waits++
  ) {
    await sleep(50);
    events = await read();
  }
  for (const event of events) {
    const answer = event.last_status ?? event.last_error ?? 'not sent yet';
    out(`            ${JSON.parse(event.body).type}: ${event.status} (${answer})`);
  }
  if (events.length === 0) out('            no events: the account has no endpoint for them');
}

const offset = (start: Date, at: Date): string =>
  `${((at.getTime() - start.getTime()) / 1000).toFixed(1).padStart(8)} s`;

const arrowOf = (text: string): string => (/^\d/.test(text) ? '◀──' : '──▶');

function readOutcomes(text: string): Outcome[] {
  return text.split(',').map((part) => {
    const [code = '', ring] = part.trim().split(':');
    return {
      code: code === 'timeout' ? code : Number(argument('An outcome', code, statusOrTimeout)),
      ...(ring === undefined ? {} : { ring_seconds: Number(argument('The ringing time', ring, seconds)) }),
    };
  });
}

interface OutboundCallOptions {
  trunkId: string;
  from: string;
  to: string;
  ip: string | null;
}

export async function showOutboundCall(
  env: WholeEnvironment,
  ask: OutboundCallOptions,
  script: { code: number; talk_seconds: number },
  out: (line: string) => void,
): Promise<void> {
  const trunk = await findTrunk(env, ask.trunkId);
  const voice = await voiceOf(env);
  try {
    const request = {
      sourceIp: ask.ip ?? trunk.address,
      digest: trunk.username === null ? null : { username: trunk.username, isMadeWith: () => true },
      twilioAccountSid: trunk.sid,
      from: ask.from,
      to: ask.to,
    };
    out(`${ask.from} calls ${ask.to} from ${request.sourceIp} through "${trunk.name}"`);
    const done = await simulateOutbound(voice, request, { ...script, ring_seconds: 2 });
    if ('refused' in done) return out(`refused with ${done.refused.code}: ${done.refused.text}`);
    const { call } = done;
    const cdr = await env.db
      .selectFrom('cdrs_out')
      .selectAll()
      .where('call_id', '=', call.id)
      .executeTakeFirstOrThrow();
    out(
      `shown as ${call.srcNumber}, ${money(call.rate?.perMinute ?? '0')} a minute${call.country === null ? '' : ` (${call.country})`}`,
    );
    out(
      `${cdr.disconnect_code} ${cdr.disconnect_reason} after ${cdr.duration} s, charged ${money(cdr.price)} (call ${call.id})`,
    );
  } finally {
    await voice.stop();
  }
}

async function findTrunk(env: WholeEnvironment, id: string) {
  const { rows } = await sql<{ name: string; address: string | null; username: string | null; sid: string | null }>`
    select name, host(allowed_networks[1]) as address, authentication->>'username' as username,
           authentication->>'twilio_account_sid' as sid
    from voice_out_trunks where id::text = ${id}
  `.execute(env.db);
  const [trunk] = rows;
  if (trunk === undefined) throw new OperatorError(`There is no outbound trunk ${id} in ${env.name}.`);
  const twilio = trunk.sid === null ? undefined : env.calls.twilioNetworks[0]?.split('/')[0];
  return { ...trunk, address: trunk.address ?? twilio ?? '127.0.0.1' };
}
