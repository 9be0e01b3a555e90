/** Refusals name their true reason, and odd requests get the response that they deserve, never 500. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../test/support/datagrams.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import { readTrace } from '../voice/trace/read-traces.ts';
import { callingOut } from './calling-out.fixture.ts';
import { mostWaitMs } from './patience.ts';
import { createWorld, type Phone, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Whether the trace of the call has a line with this text. */
const hasTraced = async (callId: unknown, text: string): Promise<boolean> => {
  const trace = await readTrace(world.world.env, String(callId));
  return trace?.entries.some((entry) => entry.kind === 'reason' && entry.text.includes(text)) ?? false;
};

/** Status and the text of Reason that a caller of this number gets; and what its CDR says, as its trace does. */
async function refusalOf(caller: Phone, number: string): Promise<{ status: string; reason: string; cdr: unknown }> {
  const seen = caller.events.length;
  caller.dial(number);
  await expect.poll(() => caller.events.slice(seen).find((event) => event.startsWith('failed'))).toBeDefined();
  await expect.poll(async () => (await world.cdrs(number)).length).toBe(1);
  const [cdr] = await world.cdrs(number);
  await expect.poll(() => hasTraced(cdr?.call_id, String(cdr?.response))).toBe(true);
  return { status: caller.events.at(-1) ?? '', reason: reasonTo(caller), cdr: cdr?.response };
}

const reasonTo = ({ responses }: Phone): string =>
  /text="([^"]*)"/.exec(responses.at(-1)?.headers.first('Reason') ?? '')?.[1] ?? '';

/** An address that could be reached; behind a private one there may be another. */
const reachable = '203.0.114.7';
const usual = sdp();
const described = { ...usual, body: Buffer.from(String(usual.body).replaceAll('127.0.0.1', reachable)) };

test('a trunk with a list of addresses, one that refuses connections, one without TLS', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const listed = await world.number([trunk.port], { allowed_rtp_ips: ['192.0.2.0/24'] });
  const address = `Media address ${reachable} is not allowed`;
  trunk.onCall = (call) => void trunk.answer(call, described);
  expect(await refusalOf(caller, listed.number)).toEqual({ status: 'failed 488', reason: address, cdr: address });

  const closed = await world.number([await freePort()], {
    transport_protocol_id: 2,
    rerouting_disconnect_code_ids: [],
  });
  const refused = 'Connection refused';
  expect(await refusalOf(caller, closed.number)).toEqual({ status: 'failed 503', reason: refused, cdr: refused });

  const { server, port } = await openPlainServer();
  const plain = await world.number([port], { transport_protocol_id: 3, rerouting_disconnect_code_ids: [] });
  const { status, reason, cdr } = await refusalOf(caller, plain.number);
  expect([status, cdr]).toEqual(['failed 503', reason]);
  expect(reason).toMatch(/^TLS handshake failed: /);
  server.close();
});

/** Speaks no TLS: it hangs up. */
async function openPlainServer() {
  const server = createServer((socket) => socket.on('error', () => undefined).end('SIP/2.0 400 Bad Request\r\n\r\n'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

test.each([
  [{ media_encryption_mode: 'srtp_dtls' }, 'Media encryption differs: srtp_dtls is demanded, disabled came'],
  [{ allowed_rtp_ips: ['192.0.2.0/24'] }, `Media address ${reachable} is not allowed`],
])('a call out through a trunk that demands %j', async (trunk, reason) => {
  const { call, customer, carrier, accountId } = await callingOut(world, { trunk });
  call(undefined, described);
  await expect.poll(() => customer.events).toEqual(['failed 488']);
  expect(reasonTo(customer)).toBe(reason);
  await expect
    .poll(() => world.cdrsOut(accountId))
    .toMatchObject([{ disconnect_code: 488, disconnect_reason: reason }]);
  const [cdr] = await world.cdrsOut(accountId);
  await expect.poll(() => hasTraced(cdr?.call_id, reason)).toBe(true);
  expect(carrier.invites).toEqual([]);
});

test('overload says what there is too much of, to the caller and among the refusals', async () => {
  const still = await createWorld({ timers: { ...machineTimers, now: () => 0 } });
  const caller = await still.phone();
  while (still.endpoint.admission.admit() === null);
  caller.dial('4930123');
  await expect.poll(() => caller.events).toEqual(['failed 503']);
  const { headers } = caller.responses.at(-1) ?? expect.unreachable();
  expect(headers.first('Reason')).toBe('SIP;cause=503;text="Too many new calls in a second"');
  expect(headers.first('Retry-After')).toMatch(/^\d+$/);
  expect(still.refused).toMatchObject([{ code: 503, reason: 'overload', text: 'Too many new calls in a second' }]);
  await still.close();
});

test('the challenge of a trunk comes with its 407', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const challenge = 'Digest realm="pbx", nonce="n1"';
  trunk.onCall = (call) => call.reject(407, { headers: [['Proxy-Authenticate', challenge]] });
  const { number } = await world.number([trunk.port]);
  expect((await refusalOf(caller, number)).status).toBe('failed 407');
  expect(caller.responses.at(-1)?.headers.first('Proxy-Authenticate')).toBe(challenge);
});

let sent = 0;

/** Lines that differ from those of an ordinary request; one that is null is left out. */
async function answerTo(method: string, lines: Readonly<Record<string, string>> = {}, version = '2.0', uri?: string) {
  sent += 1;
  const headers = {
    Via: `SIP/${version}/UDP 127.0.0.1:9;branch=z9hG4bKodd${sent};rport`,
    ...{ From: '<sip:+442071234567@127.0.0.1>;tag=1', To: '<sip:123@127.0.0.1>', 'Call-ID': `odd-${sent}` },
    ...{ CSeq: `1 ${method}`, Contact: '<sip:a@127.0.0.1:9>', 'Max-Forwards': '70', 'Content-Length': '0' },
    ...lines,
  };
  const start = `${method} ${uri ?? 'sip:99999999999@127.0.0.1'} SIP/${version}`;
  const text = [start, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
  return (await finalTo(text)) ?? '';
}

/** The first response that is not provisional. */
async function finalTo(text: string): Promise<string | undefined> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const received: string[] = [];
  socket.on('message', (bytes) => received.push(String(bytes)));
  socket.send(text, world.endpoint.ports.udp, '127.0.0.1');
  const final = () => received.find((one) => !one.startsWith('SIP/2.0 1'));
  await expect.poll(final, { interval: 5 }).toBeDefined();
  socket.close();
  return final();
}

test.each([
  'sip:alice@127.0.0.1',
  '<sip:127.0.0.1>',
  '<sip:@127.0.0.1>',
  '<sip:%00@127.0.0.1>',
  '<sip:a%00b@127.0.0.1>',
  '<sip:%ff@127.0.0.1>',
  '<sip:%zz@127.0.0.1>',
  '<sip:a b@127.0.0.1>',
  '<tel:+442071234567;phone-context=x>',
  '<tel:>',
  '<mailto:a@b.example>',
  '<urn:service:sos>',
  `<sip:${'9'.repeat(1_500)}@127.0.0.1>`,
  `"${'n'.repeat(4_000)}" <sip:1@127.0.0.1>`,
  '"\\"" <sip:%0d%0aVia:x@127.0.0.1>',
  '<sip:user:password@127.0.0.1>',
  '<sip:Ж@127.0.0.1>',
  '<sip:1@[::1]:70000>',
  '"Anonymous" <sip:anonymous@anonymous.invalid>',
  '<nonsense>',
])('From: %s is anonymous or 400', async (from) => {
  const response = await answerTo('INVITE', { From: `${from};tag=1` });
  expect(response).toMatch(/^SIP\/2\.0 4\d\d /);
});

test('whatever is put together for a From, it is no error of ours', { timeout: 600_000 }, async () => {
  const part = fc.constantFrom(
    ...[
      'sip:',
      'sips:',
      'tel:',
      'urn:',
      '<',
      '>',
      '"',
      '\\',
      '@',
      ';',
      ':',
      '%',
      '%0a',
      '%00',
      '+',
      '123',
      '[::1]',
      ' ',
    ],
    ...['tag=1', '127.0.0.1', 'a.example', 'Ж', '\t', ',', '?', '=', '&', '#', '*', '(', ')', 'anonymous'],
  );
  const forms = fc.sample(fc.array(part, { minLength: 1, maxLength: 8 }), { seed: 24, numRuns: 150 });
  const wrong: string[] = [];
  for (const form of forms) {
    const response = await answerTo('INVITE', { From: `${form.join('')};tag=1` });
    if (!/^SIP\/2\.0 4\d\d /.test(response)) wrong.push(`${form.join('')}: ${response.split('\r\n')[0]}`);
  }
  expect(wrong).toEqual([]);
});

test.each(['<sip:127.0.0.1>', '<tel:>', '<mailto:a@b.example>', '"Anonymous" <sip:anonymous@anonymous.invalid>'])(
  'a call From: %s reaches its trunk without a number of a caller',
  async (from) => {
    const [caller, trunk] = [await world.phone(), await world.phone()];
    const { number } = await world.number([trunk.port]);
    caller.dial(number, { from });
    await expect.poll(() => caller.events).toContain('answered');
    expect(trunk.invites[0]?.headers.first('From')).toMatch(/anonymous/i);
    expect(trunk.invites[0]?.from.uri).not.toMatch(/\d{3,}@|b\.example/);
    caller.sessions[0]?.hangUp();
  },
);

test('# in a dialled number is a part of it: of the prefix that a trunk asks for, and of what is dialled beyond it', async () => {
  const account = { username: 'with#', password: 'p' };
  const allowed = { allowed_sip_ips: ['127.0.0.0/8'], tech_prefix: '9#', ...account };
  const { customer, carrier, number } = await callingOut(world, { trunk: { authentication: JSON.stringify(allowed) } });
  const from = `<sip:+${number}@127.0.0.1>`;
  const [rate] = (await world.world.env.pool.query('select prefix from voice_rates order by prefix desc limit 1')).rows;
  customer.dial(`9#${rate.prefix}123456`, { from, account });
  await expect.poll(() => customer.events).toContain('answered');
  expect(carrier.invites[0]?.uri).toContain(`${rate.prefix}123456`);
  customer.sessions[0]?.hangUp();
  await expect.poll(() => customer.events.at(-1)).toMatch(/^ended/);
  customer.dial(`9#${rate.prefix}1#6`, { from, account });
  await expect.poll(() => customer.events.at(-1)).toBe('failed 484');
  expect(reasonTo(customer)).toBe('Destination is not a number');
});

test('405 names what is served; another version is 505; an empty Require asks for nothing; # may be dialled', async () => {
  const notAllowed = await answerTo('SUBSCRIBE');
  expect(notAllowed).toMatch(/^SIP\/2\.0 405 /);
  expect(/\r\nAllow: (.*)\r\n/.exec(notAllowed)?.[1]).toBe(
    'INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, REFER, REGISTER',
  );
  expect(await answerTo('OPTIONS', {}, '3.0')).toMatch(/^SIP\/2\.0 505 /);
  expect(await answerTo('OPTIONS', { Require: '' })).toMatch(/^SIP\/2\.0 200 /);
  expect(await answerTo('OPTIONS', { Require: 'unheard-of' })).toMatch(/^SIP\/2\.0 420 /);
  expect(await answerTo('INVITE', {}, '2.0', 'sip:7#4930123@127.0.0.1')).not.toMatch(/^SIP\/2\.0 (400|5\d\d) /);
});

test('a database that stands still is 503 within two seconds, and what it took too late is ended', async () => {
  expect(mostWaitMs).toBeLessThan(2_000);
  const { pool } = world.world.env;
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port]);
  const hold = await pool.connect();
  await hold.query('begin');
  await hold.query('lock table open_calls, voice_in_trunks, dids in access exclusive mode');
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('failed 503');
  expect(reasonTo(caller)).toBe('The database is away');
  expect(caller.responses.at(-1)?.headers.first('Retry-After')).toBe('1');
  await hold.query('commit');
  hold.release();
  await expect.poll(async () => (await pool.query('select from open_calls')).rowCount).toBe(0);
  expect(trunk.invites).toEqual([]);
});

test('`received` has an IPv6 address without brackets', async () => {
  const socket = createSocket('udp6').bind(0, '::1');
  await once(socket, 'listening');
  const lines = ['Via: SIP/2.0/UDP [::2]:9;branch=z9hG4bKsix;rport', 'From: <sip:a@b>;tag=1', 'To: <sip:b@b>'];
  const rest = ['Call-ID: six', 'CSeq: 1 OPTIONS', 'Max-Forwards: 70', 'Content-Length: 0', '', ''];
  socket.send(['OPTIONS sip:b@b SIP/2.0', ...lines, ...rest].join('\r\n'), world.endpoint.ports.udp, '::1');
  const [bytes] = await once(socket, 'message');
  socket.close();
  expect(String(bytes)).toContain('received=::1');
});
