/** Habits in the bodies of requests: how they are framed, encoded and declared, and what is in them. */
import { gzipSync } from 'node:zlib';
import { request } from './converse.ts';
import { balance, type Ground, type Habit, json, jsonApi, nothing, read, status } from './habit.ts';

const trunk = '{"data":{"type":"voice_in_trunks"}}';
const toTrunks =
  (headers: Record<string, string>, body?: string | Buffer, stays = false) =>
  (ground: Ground) => [
    request(
      'POST /v3/voice_in_trunks',
      { headers: { ...ground.platform, 'Content-Type': jsonApi, ...headers }, stays },
      body,
    ),
  ];
const start = '{"data":{}}';
const toStart = (headers: Record<string, string>, body?: string | Buffer) => (ground: Ground) => [
  request(
    'POST /api/v1/verifications',
    { headers: { ...ground.verification, 'Content-Type': json, ...headers } },
    body,
  ),
];
/** Sent with gzip; what is signed may be something else. */
const toSignedStart =
  (body: Buffer, covered = body) =>
  ({ signed }: Ground) => {
    const path = '/api/v1/verifications';
    const headers = { ...signed('POST', path, covered), 'Content-Type': json, 'Content-Encoding': 'gzip' };
    return [request(`POST ${path}`, { headers }, body)];
  };
/** That the body has been read is what the error says: what it lacks. */
const lacksConfiguration = { statuses: [400], says: 'The required parameter, configuration, is missing.' };
const lacksDestination = { statuses: [422], says: "destination can't be blank" };
const change = (members: string) => (ground: Ground) => [
  request(
    `PATCH /v3/voice_in_trunks/${ground.trunkId}`,
    { headers: { ...ground.platform, 'Content-Type': jsonApi } },
    `{"data":{"type":"voice_in_trunks","id":"${ground.trunkId}",${members}}}`,
  ),
];
/** Two of the last days, with as many digits as some clocks have. */
const moment = (daysAgo: number) => `${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, -1)}456789Z`;
const period = () => JSON.stringify({ from: moment(2), to: moment(1) });
const chunked = (text: string) => `${text.length.toString(16).toUpperCase()};part=1\r\n${text}\r\n0\r\n\r\n`;
/** A gibibyte would be a gigabyte in memory; this is enough to be over every limit, and quick to make. */
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '));

export const bodyHabits: readonly Habit[] = [
  {
    name: 'dates with nine fraction digits',
    words: { platform: 'read, cut to milliseconds', verification: 'no date is sent' },
    platform: [
      {
        sends: ({ platform }) => [
          request(
            'POST /v3/exports',
            { headers: { ...platform, 'Content-Type': jsonApi } },
            `{"data":{"type":"exports","attributes":{"export_type":"cdr_in","filters":${period()}}}}`,
          ),
        ],
        statuses: [201],
      },
    ],
    verification: [],
  },
  {
    name: '`; charset=utf-8` behind the media type',
    words: { platform: '415, which names what was sent: the type has no parameters', verification: read },
    platform: [
      {
        sends: toTrunks({ 'Content-Type': `${jsonApi}; charset=utf-8` }, trunk),
        statuses: [415],
        says: `This request specified '${jsonApi}; charset=utf-8'.`,
      },
      { ...balance(), says: `content-type: ${jsonApi}\r\n` },
    ],
    verification: [{ sends: toStart({ 'Content-Type': `${json}; charset=utf-8` }, start), ...lacksDestination }],
  },
  {
    name: 'members that are null, known and unknown',
    words: {
      platform: 'known: set to null; unknown: 400, which names the member',
      verification: 'unknown ones are ignored',
    },
    platform: [
      { sends: change('"attributes":{"description":null,"capacity_limit":null}'), statuses: [200] },
      { sends: change('"attributes":{"colour":null}'), statuses: [400], says: 'colour is not allowed.' },
      { sends: change('"relationships":{"voice_in_trunk_group":{"data":null}}'), statuses: [200] },
    ],
    verification: [{ sends: toStart({}, '{"data":{"colour":null,"sms":null}}'), ...lacksDestination }],
  },
  {
    name: 'an empty body with a content type',
    words: { platform: 'fine on GET and DELETE, 400 where a document belongs', verification: 'the same' },
    platform: [
      balance({ headers: { 'Content-Type': jsonApi } }),
      balance({ headers: { 'Content-Type': json, 'Content-Length': '0' } }),
      {
        sends: ({ platform }) => [
          request(`DELETE /v3/voice_in_trunks/${nothing}`, { headers: { ...platform, 'Content-Type': jsonApi } }, ''),
        ],
        statuses: [404],
        says: 'Record not found',
      },
      { sends: toTrunks({}, ''), statuses: [400], says: 'The required parameter, data, is missing.' },
    ],
    verification: [
      status({ headers: { 'Content-Type': json, 'Content-Length': '0' } }),
      { sends: toStart({}, ''), statuses: [400], says: 'parameter_missing' },
    ],
  },
  {
    name: '`Content-Encoding: gzip`',
    words: {
      platform: 'unpacked up to 1 MiB, beyond it 413; another encoding is 415',
      verification: 'unpacked up to 64 KiB, anything else is 400; a signature covers what was sent',
    },
    platform: [
      { sends: toTrunks({ 'Content-Encoding': 'gzip' }, gzipSync(trunk)), ...lacksConfiguration },
      { sends: toTrunks({ 'Content-Encoding': 'gzip' }, bomb), statuses: [413], says: 'at most 1 MiB' },
      {
        sends: toTrunks({ 'Content-Encoding': 'gzip' }, trunk),
        statuses: [400],
        says: 'not what its Content-Encoding',
      },
      {
        sends: toTrunks({ 'Content-Encoding': 'br' }, trunk),
        statuses: [415],
        says: /accept-encoding: gzip\r\n[\s\S]*This request specified 'br'\./i,
      },
    ],
    verification: [
      { sends: toStart({ 'Content-Encoding': 'gzip' }, gzipSync(start)), ...lacksDestination },
      { sends: toStart({ 'Content-Encoding': 'gzip' }, bomb), statuses: [400], says: 'parameter_missing' },
      { sends: toStart({ 'Content-Encoding': 'br' }, start), statuses: [400], says: 'parameter_missing' },
      { sends: toSignedStart(gzipSync(start)), ...lacksDestination },
      { sends: toSignedStart(gzipSync(start), Buffer.from(start)), statuses: [401] },
    ],
  },
  {
    name: 'chunked bodies, with extensions',
    words: { platform: read, verification: read },
    platform: [{ sends: toTrunks({ 'Transfer-Encoding': 'chunked' }, chunked(trunk)), ...lacksConfiguration }],
    verification: [{ sends: toStart({ 'Transfer-Encoding': 'chunked' }, chunked(start)), ...lacksDestination }],
  },
  {
    name: '`Expect: 100-continue`',
    words: { platform: '100, then the response to the body', verification: 'the same' },
    platform: [
      {
        sends: (ground) => [
          ...toTrunks({ Expect: '100-continue', 'Content-Length': String(trunk.length) })(ground),
          { once: 'HTTP/1.1 100 Continue\r\n\r\n' },
          trunk,
        ],
        ...lacksConfiguration,
        statuses: [100, 400],
      },
    ],
    verification: [
      {
        sends: (ground) => [
          ...toStart({ Expect: '100-continue', 'Content-Length': String(start.length) })(ground),
          { once: 'HTTP/1.1 100 Continue\r\n\r\n' },
          start,
        ],
        ...lacksDestination,
        statuses: [100, 422],
      },
    ],
  },
];
