/** `call list`, `call watch`, `call trace`, `call refusals`: what happened in recent calls, and why. */

import { writeFile } from 'node:fs/promises';
import QuickLRU from 'quick-lru';
import { wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { isUuid } from '../../base/uuid.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { ladder, ladderLine, legName, messagesInFull } from '../../business/voice/trace/ladder.ts';
import { pcapOf } from '../../business/voice/trace/pcap.ts';
import {
  listRefusals,
  listTraces,
  readTrace,
  type StoredTrace,
  type TracePart,
  type TraceSearch,
  type TraceSummary,
} from '../../business/voice/trace/read-traces.ts';
import { watchCalls } from '../../business/voice/trace/watch.ts';
import type { Environment } from '../../engines/environment.ts';
import { option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const json = { type: 'boolean', summary: 'print JSON' } as const;
const limit = { type: 'string', value: 'N', summary: 'how many (20)' } as const;
const number = { type: 'string', value: 'NUMBER', summary: 'of this caller or called number only' } as const;
const account = { type: 'string', value: 'ACCOUNT', summary: 'of this account only' } as const;
const searchOptions = {
  number,
  trunk: { type: 'string', value: 'ID', summary: 'through this trunk only' },
  'call-id': { type: 'string', value: 'ID', summary: 'the id of a call, or the SIP Call-ID of one of its legs' },
  account,
} as const;

export const callTraceCommands = [
  environmentCommand({
    name: 'call list',
    summary: 'List recent calls.',
    options: { ...searchOptions, limit, json },
    run: async ({ env, values, out, printTable }) => {
      const count = option('limit', values.limit, wholeNumber(1, 1_000)) ?? 20;
      const calls = await listTraces(env, await searchOf(env, values), count);
      if (values.json) return out(JSON.stringify(calls));
      const rows = calls.map((call) => [
        moment(call.started_at),
        call.direction,
        call.src_number,
        call.dst_number,
        call.trunk_name ?? '',
        stateOf(call),
        call.call_id,
      ]);
      const headings = ['STARTED', 'WAY', 'FROM', 'TO', 'TRUNK', 'STATE', 'CALL'];
      printTable(headings, rows, 'There are no recent calls.');
    },
  }),
  environmentCommand({
    name: 'call watch',
    summary: 'Show the messages and decisions of calls as they happen, until it is interrupted.',
    options: { ...searchOptions, json },
    notes: 'At a high rate a part of the calls is shown: a process records 50 new calls a second, 10 of one account.',
    run: async ({ env, values, out }) => {
      const interrupted = new AbortController();
      process.once('SIGINT', () => interrupted.abort());
      process.once('SIGTERM', () => interrupted.abort());
      const search = await searchOf(env, values);
      const show = values.json ? (part: TracePart) => out(JSON.stringify(part)) : showPart(out);
      // People see that it works before the first call comes; JSON is for programs.
      const started = () => (values.json ? undefined : out('Waiting for calls; Ctrl+C ends it.'));
      await watchCalls(env, search, show, interrupted.signal, started);
    },
  }),
  environmentCommand({
    name: 'call trace',
    summary: 'Show one call: its ladder, why it went where it did, and its SIP messages.',
    positionals: ['ID'],
    options: {
      short: { type: 'boolean', summary: 'without the messages in full' },
      pcap: { type: 'string', value: 'FILE', summary: 'write the messages as a packet capture instead' },
      json,
    },
    notes: 'ID is the id of the call, or the SIP Call-ID of one of its legs. Secrets are blanked.',
    run: async ({ env, values, positionals: [id = ''], out }) => {
      const trace = await readTrace(env, id);
      if (trace === null) throw new OperatorError(`There is no recent call ${id} in ${env.name}.`);
      if (values.pcap !== undefined) return writeCapture(trace, values.pcap, out);
      if (values.json) return out(JSON.stringify(trace));
      for (const line of traceLines(trace, values.short ?? false)) out(line);
    },
  }),
  environmentCommand({
    name: 'call refusals',
    summary: 'List refused calls with the rule that refused them, counted by day and source.',
    options: {
      rule: { type: 'string', value: 'RULE', summary: 'of this rule only, such as unlisted_source' },
      source: { type: 'string', value: 'ADDRESS', summary: 'from this address only' },
      number,
      account,
      limit,
      json,
    },
    run: async ({ env, values: { rule, source, ...values }, out, printTable }) => {
      const { number: called, accountId } = await searchOf(env, values);
      const count = option('limit', values.limit, wholeNumber(1, 1_000)) ?? 20;
      const search = { ...(rule && { rule }), ...(source && { source }), ...(called && { number: called }) };
      const refusals = await listRefusals(env, { ...search, ...(accountId && { accountId }) }, count);
      if (values.json) return out(JSON.stringify(refusals));
      const rows = refusals.map((refusal) => [
        moment(refusal.last_seen),
        String(refusal.count),
        `${refusal.disconnect_code} ${refusal.rule}`,
        refusal.source,
        refusal.src_number,
        refusal.dst_number,
        refusal.disconnect_reason,
      ]);
      const headings = ['LAST SEEN', 'COUNT', 'RULE', 'SOURCE', 'FROM', 'TO', 'WHY'];
      printTable(headings, rows, 'No call was refused.');
    },
  }),
];

interface SearchValues {
  readonly number?: string;
  readonly trunk?: string;
  readonly 'call-id'?: string;
  readonly account?: string;
}

async function searchOf(env: Environment, values: SearchValues): Promise<TraceSearch> {
  const { number: called, trunk, 'call-id': callId, account: owner } = values;
  if (trunk !== undefined && !isUuid(trunk))
    throw new OperatorError(`--trunk must be the id of a trunk, not "${trunk}".`);
  return {
    ...(called !== undefined && { number: called.replace(/^\+/, '') }),
    ...(trunk !== undefined && { trunkId: trunk }),
    ...(callId !== undefined && { callId }),
    ...(owner !== undefined && { accountId: (await requireAccount(env, owner)).id }),
  };
}

const stateOf = ({ state, disconnect_code, disconnect_reason, refusal }: TraceSummary): string =>
  disconnect_code === null ? state : `${disconnect_code} ${refusal ?? disconnect_reason ?? ''}`.trim();

/** Lines of several calls come mixed, so each has the time and the end of the call's id. */
function showPart(out: (line: string) => void): (part: TracePart) => void {
  const known = new QuickLRU<string, true>({ maxSize: 10_000 });
  return ({ call, entries }) => {
    const tag = call.call_id.slice(-8);
    if (!known.has(call.call_id)) {
      out(`${tag}  ${headline(call)}`);
      known.set(call.call_id, true);
    }
    for (const entry of entries) out(`${tag}  ${entry.at.slice(11, 23)}  ${ladderLine(entry)}`);
    if (call.state === 'ended') out(`${tag}  ■ ${stateOf(call)}`);
  };
}

const headline = (call: TraceSummary): string =>
  `${call.direction === 'in' ? 'Call in' : 'Call out'} ${call.call_id}: ${call.src_number} calls ${call.dst_number}`;

function traceLines({ call, entries }: StoredTrace, short: boolean): string[] {
  const trunk = call.trunk_name === null ? '' : `, trunk "${call.trunk_name}"`;
  const carrier = call.carrier_name === null ? '' : `, carrier "${call.carrier_name}"`;
  return [
    headline(call),
    `started ${call.started_at.toISOString()}, ${stateOf(call)}${trunk}${carrier}`,
    ...call.leg_call_ids.flatMap((callId, leg) =>
      callId === '' ? [] : [`leg ${legName(leg)}, ${call.leg_sides[leg] ?? 'redirected'}: Call-ID ${callId}`],
    ),
    '',
    ...ladder(call.started_at, entries),
    ...(call.dropped > 0 ? [`${call.dropped} messages were not kept`] : []),
    ...(short ? [] : messagesInFull(call.started_at, entries)),
  ];
}

async function writeCapture({ entries }: StoredTrace, file: string, out: (line: string) => void): Promise<void> {
  const messages = entries.filter(({ kind }) => kind === 'message');
  if (messages.length === 0) throw new OperatorError('The call has no SIP messages.');
  await writeFile(file, pcapOf(messages)).catch((error: Error) => {
    throw new OperatorError(`${file} cannot be written: ${error.message}.`);
  });
  out(`Wrote ${messages.length} messages to ${file}.`);
}
