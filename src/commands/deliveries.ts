/** `deliveries list`, `deliveries show`, `deliveries replay`. */
import { requireAccount } from '../accounts/accounts.ts';
import { listDeliveries, replayDelivery, showDelivery } from '../callbacks/callback-log.ts';
import { oneOf } from '../fields.ts';
import { OperatorError } from '../operator-error.ts';
import { isUuid } from '../uuid.ts';
import { option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment, table } from './output.ts';

const json = { type: 'boolean', summary: 'print JSON' } as const;
const statuses = ['pending', 'delivered', 'failed', 'dropped'] as const;

export const deliveriesCommands = [
  environmentCommand({
    name: 'deliveries list',
    summary: 'List the callbacks of the last 30 days, newest first.',
    options: {
      account: { type: 'string', value: 'ACCOUNT', summary: 'only of this account' },
      status: { type: 'string', value: 'STATUS', summary: `one of ${statuses.join(', ')}` },
      json,
    },
    run: async ({ env, values, out }) => {
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
      for (const line of table(headings, rows, 'There are no deliveries.')) out(line);
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
    run: async ({ env, positionals: [id = ''], out }) => {
      if (!(await replayDelivery(env, checkedId(id)))) throw noDelivery(id);
      out('It is sent again by the next worker that is free.');
    },
  }),
];

function checkedId(text: string): string {
  if (!isUuid(text)) throw noDelivery(text);
  return text;
}

const noDelivery = (id: string) => new OperatorError(`There is no delivery ${id}.`);

const withoutPassword = (url: string) => url.replace(/\/\/[^/@]*@/, '//…@');
