/** `/metrics` is closed to strangers, whichever way they come. */
import { expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator } from '../operator/operators.writes.ts';
import { createHttpServer } from './http-server.ts';
import { roomsWith } from './rooms.ts';

const account = { name: 'Acme', ...login };
const usual = useOpened(() => startTestServer({ account }));
const named = useOpened(() => startTestServer({ server: { metricsNetworks: ['10.0.0.0/8', '2001:db8::/32'] } }));
const behindProxy = useOpened(() =>
  startTestServer({ server: { metricsNetworks: ['10.0.0.0/8'], trustedProxies: ['127.0.0.1'] } }),
);

const stranger = '203.0.113.9';

async function statusOf(
  { app }: Pick<TestServer, 'app'>,
  remoteAddress: string,
  headers: Record<string, string> = {},
  url = '/metrics',
) {
  const { statusCode, body } = await app.inject({ url, remoteAddress, headers });
  expect([statusCode, body.includes('trunkline_http_requests_total')]).toEqual([statusCode, statusCode === 200]);
  return statusCode;
}

test('this machine reads them, and nobody who only seems to be there', async () => {
  expect(await statusOf(usual, '127.0.0.1')).toBe(200);
  expect(await statusOf(usual, '::1', { host: 'localhost:8080' })).toBe(200);
  for (const address of [stranger, '10.1.2.3', '192.168.1.1', '2001:db8::1']) {
    expect([address, await statusOf(usual, address)]).toEqual([address, 403]);
    expect(await statusOf(usual, address, { 'x-forwarded-for': '127.0.0.1', host: 'localhost' })).toBe(403);
  }
  // A proxy on this machine, and a page whose name leads here.
  for (const headers of [{ 'x-forwarded-for': stranger }, { 'x-real-ip': stranger }, { host: 'evil.example' }]) {
    expect([headers, await statusOf(usual, '127.0.0.1', { ...headers })]).toEqual([headers, 403]);
  }
  expect(await statusOf(usual, stranger, {}, '/metric%73')).toBe(403);
});

test('networks that the operator names read them, and nobody by way of them', async () => {
  for (const address of ['10.1.2.3', '2001:db8::7', '::ffff:10.1.2.3']) {
    expect([address, await statusOf(named, address, { host: 'trunkline:8080' })]).toEqual([address, 200]);
  }
  expect(await statusOf(named, stranger)).toBe(403);
  expect(await statusOf(named, '10.1.2.3', { 'x-forwarded-for': stranger })).toBe(403);
  const through = (address: string) => statusOf(behindProxy, '127.0.0.1', { 'x-forwarded-for': address });
  expect([await through('10.2.3.4'), await through(stranger), await through('127.0.0.1')]).toEqual([200, 403, 403]);
});

test('operators read them from anywhere, customers do not', async () => {
  const { key } = await addOperator(usual, 'read-only');
  expect(await statusOf(usual, stranger, { 'api-key': key })).toBe(200);
  for (const wrong of [usual.key, 'x'.repeat(32)]) {
    expect(await statusOf(usual, stranger, { 'api-key': wrong })).toBe(403);
  }
  const staff = { email: 'staff@operator.test', password: 'a password of staff' };
  await createOperator(byBootstrap(usual.env), { ...staff, role: 'read-only' });
  for (const [person, status] of [
    [staff, 200],
    [login, 403],
  ] as const) {
    const browser = new PanelClient(usual.url);
    await browser.signIn(person);
    expect(await statusOf(usual, stranger, { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' })).toBe(status);
    expect(await statusOf(usual, stranger, { cookie: browser.cookie, 'sec-fetch-site': 'cross-site' })).toBe(403);
  }
});

test('where the operator’s interface is not served an operator is a stranger', async () => {
  const { key } = await addOperator(usual);
  const app = await createHttpServer(usual.env, { rooms: roomsWith(taskHandlers, 'any', null, { operators: false }) });
  expect(await statusOf({ app }, stranger, { 'api-key': key })).toBe(403);
  expect(await statusOf({ app }, '127.0.0.1')).toBe(200);
  await app.close();
});
