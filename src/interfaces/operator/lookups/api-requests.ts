/** Requests of the last days, as src/interfaces/server/request-log.ts keeps them. */
import { dateTime, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { anyId, anyInteger, anyOf, explained, type Filter } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { accountOrNone, between, endless } from './shared-filters.ts';

const callerKinds = {
  api_key: 'An API key of a customer.',
  session: 'A session of the panel.',
  application: 'An OTP application.',
  operator: 'An operator.',
};

/** `404`, or `4xx` for all of a hundred. */
const status: Filter = {
  ...anyInteger('t.status'),
  parse: (value) => (/^[1-5](\d\d|xx)$/.test(value) ? [value] : null),
  where: ([value], params) => {
    const first = Number(String(value)[0]) * 100;
    return String(value).endsWith('xx')
      ? `t.status between ${params.add(first)}::int and ${params.add(first + 99)}::int`
      : `t.status = ${params.add(Number(value))}::int`;
  },
};

export const apiRequests = operatorType('api_requests', {
  group: 'Requests',
  noun: 'API request',
  summary: 'A request of the last days. Numbers and secrets in paths are masked; queries and bodies are not kept.',
  endpoints: { read: false },
  ...endless,
  attributes: {
    at: dateTime({ doc: 'When it was answered.' }),
    method: text({ doc: 'Its method.' }),
    route: text({ doc: 'The pattern of its path.' }),
    path: text({ doc: 'Its path, masked.' }),
    status: integer({ doc: 'The status of the response.' }),
    duration_ms: integer({ doc: 'Milliseconds to the response.' }),
    address: text({ doc: "The client's address." }),
    request_id: text({ doc: 'As in `X-Request-Id` and in the logs.' }),
    caller_kind: text({ nullable: true, values: callerKinds, doc: 'What the client authenticated with.' }),
    caller_id: text({ nullable: true, doc: 'Its id.' }),
  },
  relationships: { account: accountOrNone },
  filters: {
    'account.id': anyId('t.account_id'),
    caller_id: explained('The API key, session, OTP application or operator.', anyId('t.caller_id')),
    caller_kind: anyOf('t.caller_kind', { values: callerKinds }),
    method: anyOf('t.method'),
    route: anyOf('t.route'),
    status: explained('A status such as `404`, or a class such as `4xx`.', status),
    request_id: anyOf('t.request_id'),
    ...between('at', 't.at'),
  },
  sort: ['at'],
  defaultSort: '-at',
});
