/** Habits in the heads of requests, and in what is done with a connection. */
import { request } from './converse.ts';
import { balance, type Habit, json, jsonApi, list, nothing, read, status } from './habit.ts';

export const headHabits: readonly Habit[] = [
  {
    name: '`+` and `%20` in a query, `+` in a path',
    words: { platform: 'both are a space, `%2B` is a plus', verification: '`+`, `%2B` and `%2b` before a number' },
    platform: [
      list('/cities?filter[name]=Frankfurt+am+Main', '"total_records":1'),
      list('/cities?filter[name]=Frankfurt%20am%20Main', '"total_records":1'),
      list('/cities?filter[name]=Frankfurt%2Bam%2BMain', '"total_records":0'),
    ],
    verification: [status({}, 'by_number/+'), status({}, 'by_number/%2B'), status({}, 'by_number/%2b')],
  },
  {
    name: 'brackets and commas, encoded or not, in lower case too',
    words: { platform: read, verification: 'no query is sent' },
    platform: [
      list(
        '/countries?filter%5biso%5d=DE&fields%5bcountries%5d=iso%2cname',
        '"attributes":{"name":"Germany","iso":"DE"}',
      ),
      list('/countries?filter[iso]=DE&fields[countries]=iso,name', '"attributes":{"name":"Germany","iso":"DE"}'),
    ],
    verification: [],
  },
  {
    name: 'HTTP/1.0, without Host and with `Connection: keep-alive`',
    words: { platform: 'closed after the response, or kept when asked', verification: 'the same' },
    platform: [
      balance({ version: '1.0', host: null }),
      {
        sends: ({ platform }) => [
          request('GET /v3/balance', {
            version: '1.0',
            stays: true,
            headers: { ...platform, Connection: 'keep-alive' },
          }),
          { once: '"balances"' },
          request('GET /v3/balance', { version: '1.0', headers: platform }),
        ],
        statuses: [200, 200],
        says: /connection: keep-alive[\s\S]*connection: close/i,
      },
    ],
    verification: [status({ version: '1.0', host: null })],
  },
  {
    name: 'one connection for many requests, and pipelined ones',
    words: { platform: 'answered in their order', verification: 'the same' },
    platform: [
      {
        sends: ({ platform }) => [
          Buffer.concat([
            request('GET /v3/balance', { headers: platform, stays: true }),
            request('GET /v3/nothing', { headers: platform, stays: true }),
            request('GET /v3/balance', { headers: platform }),
          ]),
        ],
        statuses: [200, 404, 200],
      },
    ],
    verification: [
      {
        sends: ({ verification, destination }) => [
          Buffer.concat([
            request(`GET /api/v1/verifications/${nothing}`, { headers: verification, stays: true }),
            request(`GET /api/v1/verifications/by_number/${destination}`, { headers: verification }),
          ]),
        ],
        statuses: [404, 200],
      },
    ],
  },
  {
    name: 'an IPv6 literal as host',
    words: { platform: 'links carry it', verification: read },
    platform: [
      {
        sends: ({ platform, port }) => [
          request('GET /v3/cities?page[size]=1', { host: `[::1]:${port}`, headers: platform }),
        ],
        to: '::1',
        statuses: [200],
        says: /"next":"http:\/\/\[::1\]:\d+\/v3\/cities\?/,
      },
    ],
    verification: [{ ...status({ host: '[::1]' }), to: '::1' }],
  },
  {
    name: 'a slash at the end of a path',
    words: { platform: 'ignored', verification: 'ignored; a signature covers it' },
    platform: [list('/countries/?filter[iso]=DE', '"total_records":1')],
    verification: [
      {
        ...status(),
        sends: ({ verification, destination }) => [
          request(`GET /api/v1/verifications/by_number/${destination}/`, { headers: verification }),
        ],
      },
      {
        ...status(),
        sends: ({ signed, destination }) => {
          const path = `/api/v1/verifications/by_number/${destination}/`;
          return [request(`GET ${path}`, { headers: signed('GET', path) })];
        },
      },
      {
        sends: ({ signed, destination }) => {
          const path = `/api/v1/verifications/by_number/${destination}`;
          return [request(`GET ${path}/`, { headers: signed('GET', path) })];
        },
        statuses: [401],
      },
    ],
  },
  {
    name: 'header names in any case, white space around values',
    words: { platform: read, verification: read },
    platform: [
      {
        ...balance(),
        sends: ({ platform: { 'api-key': key = '' } }) => [
          request('GET /v3/balance', { headers: { 'API-KEY': `  ${key}  `, ACCEPT: jsonApi } }),
        ],
      },
    ],
    verification: [
      {
        ...status(),
        sends: ({ verification: { authorization = '' }, destination }) => [
          request(`GET /api/v1/verifications/by_number/${destination}`, { headers: { AUTHORIZATION: authorization } }),
        ],
      },
    ],
  },
  {
    name: '`Accept: */*`, a list, or none',
    words: { platform: 'fine; 406 without the type or a wildcard', verification: 'never looked at' },
    platform: [
      balance({ headers: { Accept: '*/*' } }),
      balance({ headers: { Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' } }),
      balance({ headers: { Accept: `${json}, ${jsonApi}` } }),
      { ...balance({ headers: { Accept: json } }), statuses: [406], says: `This request specified '${json}'.` },
    ],
    verification: [status({ headers: { Accept: 'text/html' } }), status({ headers: { Accept: '*/*' } })],
  },
  {
    name: 'HEAD',
    words: { platform: 'the headers of GET, with the length', verification: '404: it has no such method' },
    platform: [
      {
        sends: ({ platform }) => [request('HEAD /v3/balance', { headers: platform })],
        statuses: [200],
        says: /content-length: [1-9]\d*\r\n[\s\S]*\r\n\r\n$/i,
      },
    ],
    verification: [
      {
        sends: ({ verification, destination }) => [
          request(`HEAD /api/v1/verifications/by_number/${destination}`, { headers: verification }),
        ],
        statuses: [404],
      },
    ],
  },
];
