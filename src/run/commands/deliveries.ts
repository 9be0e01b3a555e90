/** `deliveries list|show|replay|discard|replay-all|discard-all`. */

import { oneOf } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { isUuid } from '../../base/uuid.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { listDeliveries, showDelivery } from '../../business/callbacks/callback-log.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { actInBulk, type BulkAction, discardDelivery, retryDelivery } from '../../interfaces/operator/queue.writes.ts';
import { type Command, option } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';
import { window, windowOf } from './window.ts';

const json = { type: 'boolean', summary: 'print JSON' } as const;
const selection = {
  account: { type: 'string', value: 'ACCOUNT', summary: 'only of this account' },
  ...window,
} as const;
const statuses = ['pending', 'delivered', 'failed', 'dropped', 'merged'] as const;

export const deliveriesCommands: readonly Command[] = [
  environmentCommand({
    name: 'deliveries list',
    summary: 'List the callbacks of the last 30 days, newest first.',
    options: {
      account: { type: 'string', value: 'ACCOUNT', summary: 'only of this account' },
      status: { type: 'string', value: 'STATUS', summary: `one of ${statuses.join(', ')}` },
      json,
    },
    run: async ({ env, values, out, printTable }) => {
      const account = values.account === undefined ? null : await requireAccount(env, values.account);
      const status = option('status', values.status, oneOf(...statuses));
      const deliveries = await listDeliveries(env, {
        ...(account === null ? {} : { accountId: account.id }),
        ...(status === undefined ? {} : { status }),
      });
      if (values.json) return out(JSON.stringify(deliveries));
      const rows = deliveries.map((one) => [
        one.id,
        one.kind,
        one.status,
        String(one.attempts),
        moment(one.created_at),
        moment(one.next_attempt_at),
        one.status === 'delivered'
          ? ''
          : (one.last_error ?? (one.last_status === null ? '' : `status ${one.last_status}`)),
        withoutPassword(one.url),
      ]);
      const headings = ['ID', 'KIND', 'STATUS', 'ATTEMPTS', 'CREATED', 'NEXT TRY', 'LAST ERROR', 'URL'];
      printTable(headings, rows, 'There are no deliveries.');
    },
  }),
  environmentCommand({
    name: 'deliveries show',
    summary: 'Show a callback with every attempt: what was sent, and what was answered.',
    positionals: ['ID'],
    options: { json },
    run: async ({ env, values, positionals: [id = ''], out }) => {
      const found = await showDelivery(env, checkedId(id));
      if (found === null) throw noDelivery(id);
      if (values.json) return out(JSON.stringify(found));
      const { delivery, attempts } = found;
      out(`${delivery.kind} ${delivery.resource_id ?? ''} ${delivery.status}`);
      out(`${delivery.method} ${withoutPassword(delivery.url)} ${JSON.stringify(delivery.payload)}`);
      for (const { attempt, attempted_at, status, error, answer, duration_ms } of attempts) {
        out(
          `${attempt}. ${moment(attempted_at)}  ${status ?? error}  ${duration_ms} ms  ${JSON.stringify(answer ?? '')}`,
        );
      }
    },
  }),
  environmentCommand({
    name: 'deliveries replay',
    summary: 'Send a callback again, with the whole schedule of retries.',
    positionals: ['ID'],
    options: { reason: window.reason },
    run: async ({ env, values, positionals: [id = ''], out }) => {
      await retryDelivery(atCommandLine(env, values.reason), checkedId(id));
      out('It is sent again by the next worker that is free.');
    },
  }),
  environmentCommand({
    name: 'deliveries discard',
    summary: 'Give up a callback that is still to be sent.',
    positionals: ['ID'],
    options: { reason: window.reason },
    run: async ({ env, values, positionals: [id = ''], out }) => {
      await discardDelivery(atCommandLine(env, values.reason), checkedId(id));
      out('It is not sent any more.');
    },
  }),
  onMany('replay-all', 'retry', 'Send every callback again that failed or was dropped, of an account or a time.'),
  onMany('discard-all', 'discard', 'Give up every callback that is still to be sent, of an account or a time.'),
];

function onMany(name: string, action: BulkAction['action'], summary: string): Command {
  const verb = action === 'retry' ? 'sent again' : 'given up';
  return confirmedCommand({
    name: `deliveries ${name}`,
    summary,
    options: selection,
    run: async ({ env, reason, values }) => {
      const account = values.account === undefined ? null : await requireAccount(env, values.account);
      const time = windowOf(values);
      if (account === null && time.since === null && time.until === null) {
        throw new OperatorError('Give an account, or a time with --since.');
      }
      const wanted = { subject: 'deliveries', action, accountId: account?.id ?? null, ...time, reason } as const;
      const { count } = await actInBulk(atCommandLine(env, reason), wanted);
      return {
        concerned: String(count),
        effects: [`callbacks that are ${verb}: ${count}`],
        done: `${count} ${count === 1 ? 'callback is' : 'callbacks are'} ${verb}.`,
      };
    },
  });
}

function checkedId(text: string): string {
  if (!isUuid(text)) throw noDelivery(text);
  return text;
}

const noDelivery = (id: string) => new OperatorError(`There is no delivery ${id}.`);

const withoutPassword = (url: string) => url.replace(/\/\/[^/@]*@/, '//…@');
