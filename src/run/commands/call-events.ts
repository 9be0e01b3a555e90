/**
 * `call-events set`, `remove`, `log`, `replay`: the endpoints of an account's call events, and the log of deliveries.
 */

import { FieldError, oneOf, text, wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { listEvents, replayEvent } from '../../business/voice/events/queue.ts';
import { streamNames, writeStream } from '../../business/voice/events/stream-settings.ts';
import type { StreamName } from '../../engines/db/tables/calls.ts';
import { changeCommand } from './change-command.ts';
import { argument, option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const streams = `STREAM is one of ${streamNames.join(', ')}.`;

export const callEventsCommands = [
  changeCommand({
    action: 'call_events.changed',
    name: 'call-events set',
    summary: 'Send one stream of an account to a URL.',
    positionals: ['ACCOUNT', 'STREAM', 'URL'],
    options: {
      gzip: { type: 'boolean', summary: 'compress events (CDR streams always are)' },
      user: { type: 'string', value: 'NAME', summary: 'for HTTP Basic authentication' },
      password: { type: 'string', value: 'TEXT', summary: 'for HTTP Basic authentication' },
      header: {
        type: 'string',
        value: 'NAME=VALUE',
        multiple: true,
        summary: 'a header of your own, such as a shared token; may be given several times',
      },
    },
    notes: streams,
    run: async ({ env, values, positionals: [account = '', stream = '', url = ''], out }) => {
      const login = readLogin(values.user, values.password);
      const { id } = await requireAccount(env, account);
      await writeStream(env, id, streamOf(stream), {
        url,
        gzip: values.gzip ?? false,
        ...login,
        headers: Object.fromEntries((values.header ?? []).map(readHeader)),
      });
      const { origin } = new URL(url);
      out(`${stream} of ${account} go to ${origin}.`);
      return { accountId: id, subject: { type: 'call_event_streams', id: stream }, after: { origin } };
    },
  }),
  changeCommand({
    action: 'call_events.changed',
    name: 'call-events remove',
    summary: 'Stop one stream of an account.',
    positionals: ['ACCOUNT', 'STREAM'],
    notes: streams,
    run: async ({ env, positionals: [account = '', stream = ''], out }) => {
      const { id } = await requireAccount(env, account);
      await writeStream(env, id, streamOf(stream), null);
      out(`${stream} of ${account} are not sent any more.`);
      return { accountId: id, subject: { type: 'call_event_streams', id: stream }, after: { origin: null } };
    },
  }),
  environmentCommand({
    name: 'call-events log',
    summary: 'Show the newest events of an account and what became of them.',
    positionals: ['ACCOUNT'],
    options: {
      call: { type: 'string', value: 'ID', summary: 'of this call only' },
      limit: { type: 'string', value: 'N', summary: 'how many (20)' },
    },
    run: async ({ env, values, positionals: [account = ''], printTable }) => {
      const events = await listEvents(env, {
        accountId: (await requireAccount(env, account)).id,
        limit: option('limit', values.limit, wholeNumber(1, 1000)) ?? 20,
        ...(values.call === undefined ? {} : { callId: values.call }),
      });
      const rows = events.map((event) => [
        String(event.id),
        moment(event.created_at),
        JSON.parse(event.body).type,
        event.call_id,
        event.status,
        String(event.attempts),
        String(event.last_status ?? event.last_error ?? ''),
      ]);
      const headings = ['ID', 'WRITTEN', 'TYPE', 'CALL', 'STATUS', 'ATTEMPTS', 'LAST ANSWER'];
      printTable(headings, rows, 'There are no events.');
    },
  }),
  changeCommand({
    action: 'call_event.replayed',
    name: 'call-events replay',
    summary: 'Send an event again; a running server does it.',
    positionals: ['ACCOUNT', 'ID'],
    run: async ({ env, positionals: [account = '', id = ''], out }) => {
      const { id: accountId } = await requireAccount(env, account);
      const found = /^\d{1,15}$/.test(id) && (await replayEvent(env, accountId, Number(id)));
      if (!found) throw new OperatorError(`${account} has no event ${id} in ${env.name}.`);
      out(`The event ${id} is sent again.`);
      return { accountId, subject: { type: 'call_events', id } };
    },
  }),
];

const streamOf = (given: string): StreamName => argument('STREAM', given, oneOf(...streamNames));

/** HTTP Basic authentication needs both, and a user name must not contain a colon. */
function readLogin(user: string | undefined, password: string | undefined) {
  const username = option('user', user, text(/^[^:\p{Cc}]+$/u, 'a name without a colon or control characters'));
  const secret = option('password', password, hiddenText);
  if ((username === undefined) !== (secret === undefined)) {
    throw new OperatorError('--user and --password go together.');
  }
  return { username: username ?? null, password: secret ?? null };
}

/** Error messages must not repeat a password. */
function hiddenText(value: unknown): string {
  if (typeof value === 'string' && /^\P{Cc}+$/u.test(value)) return value;
  throw new FieldError('must be text without control characters');
}

function readHeader(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new OperatorError(`"${text}" is not a header such as X-Token=secret.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
