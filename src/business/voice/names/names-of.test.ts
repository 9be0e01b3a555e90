/** Looking up names at a real HTTP server: forms of answers, the cache, the time limit, a provider that is away. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createTestEnvironment } from '../../../../test/support/environment.ts';
import { useOpened } from '../../../../test/support/use.ts';
import type { NameService } from '../../../engines/environment.ts';
import { setCallerName } from './listed-names.ts';
import { cleanName } from './name-provider.ts';
import { forgetNames, namesOf } from './names-of.ts';

const house = useOpened(() => createTestEnvironment({ name: 'production' }));
const requests: IncomingMessage[] = [];
let asked = 0;
let answer: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  requests.push(request);
  answer(response);
});
const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  await listening;
  requests.length = 0;
});

const says = (body: string, status = 200) => {
  answer = (response) => void response.writeHead(status).end(body);
};

/** An environment of its own, so that failures of one test do not pause the provider of another. */
function names(service: Partial<NameService> = {}, name = house.env.name) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/{number}?x=1`;
  const settings = { url, token: 'secret', member: 'name', timeoutMs: 5_000, ...service };
  return namesOf({ ...house.env, name, calls: { ...house.env.calls, names: settings }, names: {} });
}

test.each([
  ['JSON', '{"name":"Ann Lee"}', 'name', 'Ann Lee'],
  ['a member inside', '{"caller":{"name":"Ann"}}', 'caller.name', 'Ann'],
  ['text', 'LEE ANN\n', 'name', 'LEE ANN'],
  ['control characters', '{"name":"Ann\\r\\nEvil: 1\\u0000"}', 'name', 'Ann Evil: 1'],
  ['null', '{"name":null}', 'name', null],
  ['another member', '{"toString":1}', 'constructor.name', null],
  ['nothing', '', 'name', null],
])('an answer of %s', async (_, body, member, expected) => {
  says(body);
  const number = String(1_555_000_000 + ++asked);
  expect((await names({ member })(number))?.name ?? null).toBe(expected);
  expect([requests[0]?.url, requests[0]?.headers.authorization]).toEqual([`/v1/${number}?x=1`, 'Bearer secret']);
});

test('an answer is kept for a day, that there is none for an hour', async () => {
  const find = names();
  says('{"name":"Kept"}');
  expect([await find('15551001'), await find('15551001')]).toEqual(
    Array(2).fill({ name: 'Kept', from: 'name service' }),
  );
  says('', 404);
  expect([await find('15551002'), await find('15551002')]).toEqual([null, null]);
  expect(requests).toHaveLength(2);
  house.clock.advance(3_601);
  await forgetNames(house.env);
  await find('15551001');
  await find('15551002');
  expect(requests).toHaveLength(3);
  house.clock.advance(86_400);
  await find('15551001');
  expect(requests).toHaveLength(4);
});

test('the own list goes first; the sandbox asks nobody', async () => {
  await setCallerName(house.env, '+15551003', 'On the list');
  says('{"name":"Service"}');
  expect(await names()('15551003')).toEqual({ name: 'On the list', from: 'own list' });
  expect(await names({}, 'sandbox')('15551004')).toBeNull();
  expect(requests).toHaveLength(0);
});

test('a service that is silent or fails gives no name, and after three failures is left alone', async () => {
  answer = () => undefined;
  const find = names({ timeoutMs: 100 });
  expect(await find('15551005')).toBeNull();
  says('broken', 500);
  expect(await find('15551005')).toBeNull();
  says('{"name":');
  expect(await find('15551005')).toBeNull();
  says('{"name":"Back"}');
  expect(await find('15551005')).toBeNull();
  expect(requests).toHaveLength(3);
});

test('a name is cut, and one of nothing that can be shown is none', () => {
  expect(cleanName('x'.repeat(200))).toHaveLength(80);
  expect(cleanName('\u202e\n\t')).toBeNull();
});
