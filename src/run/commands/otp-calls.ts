/**
 * `otp-calls list|totals`: the calls that spoke codes, what became of them, and what they cost and brought by carrier.
 */

import { wholeNumber } from '../../base/fields.ts';
import { listCalls, sumCalls } from '../../business/callout/call-records.ts';
import { option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment, money } from './output.ts';

const dayMs = 86_400_000;

export const otpCallsCommands = [
  environmentCommand({
    name: 'otp-calls list',
    summary: 'List the last calls that spoke codes: what became of each, why, and what the carrier charges.',
    options: { limit: { type: 'string', value: 'COUNT', summary: 'how many (50)' } },
    run: async ({ env, values, printTable }) => {
      const calls = await listCalls(env, option('limit', values.limit, wholeNumber(1, 10_000)) ?? 50);
      const rows = calls.map((call) => [
        moment(call.started_at),
        call.destination,
        call.caller ?? 'withheld',
        call.carrier_name ?? '-',
        call.outcome ?? (call.answered_at === null ? 'ringing' : 'answered'),
        call.sip_code === null ? '-' : String(call.sip_code),
        call.cost === null ? '-' : money(call.cost),
        call.reason ?? '',
      ]);
      const headings = ['WHEN', 'TO', 'SHOWN', 'CARRIER', 'OUTCOME', 'CODE', 'COST', 'REASON'];
      printTable(headings, rows, 'No code was spoken yet.');
    },
  }),
  environmentCommand({
    name: 'otp-calls totals',
    summary:
      'Show by carrier how many codes were spoken, what the carrier charges, and the fees that came in for them.',
    options: {
      days: { type: 'string', value: 'DAYS', summary: 'of the last days (1); verifications are kept for two' },
    },
    run: async ({ env, values, printTable }) => {
      const days = option('days', values.days, wholeNumber(1, 90)) ?? 1;
      const totals = await sumCalls(env, new Date(env.clock.now().getTime() - days * dayMs));
      const rows = totals.map((total) => [
        total.carrier,
        String(total.attempts),
        String(total.spoken),
        money(total.cost),
        money(total.fees),
      ]);
      printTable(['CARRIER', 'ATTEMPTS', 'SPOKEN', 'COST', 'FEES'], rows, 'No code was spoken.');
    },
  }),
];
