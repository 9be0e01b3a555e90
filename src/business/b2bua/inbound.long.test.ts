/** Calls to our numbers over real sockets of loopback, with their CDRs. Trap numbers are those of docs/sip.md. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endCallById } from '../voice/end-elsewhere.ts';
import { setCallerName } from '../voice/names/listed-names.ts';
import { setVoiceRate } from '../voice/rates.ts';
import { createWorld, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const cdrsOf = async (number: string, count: number) => {
  await expect.poll(() => world.cdrs(number)).toHaveLength(count);
  return world.cdrs(number);
};

test('a call is answered, talks and is hung up by the caller; each leg has its own Call-ID', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port]);
  const call = caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  const [invite] = trunk.invites;
  expect(invite?.uri).toBe(`sip:${number}@127.0.0.1:${trunk.port}`);
  expect(invite?.callId).not.toBe(call.callId);
  expect(invite?.headers.first('From')).toMatch(/^"Ann" <sip:442071234567@127\.0\.0\.1>/);
  expect(invite?.headers.first('Max-Forwards')).toBe('69');
  await expect.poll(() => trunk.events).toEqual(['ack']);
  caller.sessions[0]?.hangUp();
  await expect.poll(() => trunk.events).toEqual(['ack', 'ended remote']);
  const [cdr] = await cdrsOf(number, 1);
  expect(cdr).toMatchObject({ disconnect_code: 200, disconnect_initiator: 'Origination', src_number: '442071234567' });
  await expect.poll(() => world.switchboard.size).toBe(0);
});

test('the called side hangs up (trap 1)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port]);
  caller.dial(number);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  trunk.sessions[0]?.hangUp();
  await expect.poll(() => caller.events.at(-1)).toBe('ended remote');
  expect((await cdrsOf(number, 1))[0]).toMatchObject({ disconnect_code: 200, disconnect_initiator: 'Destination' });
});

test('busy, then the next trunk', async () => {
  const [caller, busy, free] = [await world.phone(), await world.phone(), await world.phone()];
  busy.onCall = (call) => call.reject(486);
  const { number } = await world.number([busy.port, free.port]);
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(busy.invites[0]?.callId).not.toBe(free.invites[0]?.callId);
  caller.sessions[0]?.hangUp();
  expect((await cdrsOf(number, 2)).map((cdr) => cdr.disconnect_code)).toEqual([486, 200]);
});

test('ringing too long: CANCEL, then the next trunk', async () => {
  const [caller, slow, free] = [await world.phone(), await world.phone(), await world.phone()];
  slow.onCall = (call) => call.progress(180);
  const { number } = await world.number([slow.port, free.port], {}, { ringing_timeout: 1 });
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(slow.events).toEqual(['cancelled']);
  caller.sessions[0]?.hangUp();
  expect((await cdrsOf(number, 2)).map((cdr) => cdr.disconnect_code)).toEqual([1505, 200]);
});

test('the caller gives up while it rings (trap 8: 487 and its ACK)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  trunk.onCall = (call) => call.progress(180);
  const { number } = await world.number([trunk.port]);
  const call = caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['180']);
  call.cancel();
  await expect.poll(() => trunk.events).toEqual(['cancelled']);
  expect((await cdrsOf(number, 1))[0]).toMatchObject({ disconnect_code: 487, disconnect_initiator: 'Origination' });
  await expect.poll(() => world.endpoint.admission.inSetup).toBe(0);
});

test('refusals say why: unknown number, exhausted channels', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  caller.dial('442000000000');
  await expect.poll(() => caller.events).toEqual(['failed 404']);
  expect(caller.responses[0]?.headers.first('Reason')).toBe('SIP;cause=404;text="Unknown number"');
  expect(world.refused.at(-1)).toMatchObject({ code: 404, reason: 'unknown_number' });
  const { number } = await world.number([trunk.port]);
  for (let calls = 0; calls < 3; calls++) caller.dial(number);
  await expect.poll(() => caller.events).toContain('failed 480');
  for (const session of caller.sessions) session.hangUp();
});

test('only the codecs of the trunk are offered, in its order (trap 15), and 488 if none is left', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port], { codec_ids: [10, 9, 6] });
  caller.dial(number, {
    extra: { content: sdp('0 8 9 96 97', ['a=rtpmap:96 telephone-event/8000', 'a=rtpmap:97 telephone-event/48000']) },
  });
  await expect.poll(() => caller.events).toContain('answered');
  const offer = trunk.invites[0]?.body.toString() ?? '';
  expect(offer).toMatch(/^m=audio \d+ RTP\/AVP 8 0 96\r$/m);
  expect(offer).not.toContain('rtpmap:97');
  caller.sessions[0]?.hangUp();
  const other = await world.phone();
  other.dial(number, { extra: { content: sdp('18', []) } });
  await expect.poll(() => other.events).toEqual(['failed 488']);
});

test('early media, and a 180 after a 183 (trap 4), are relayed', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  trunk.onCall = (call) => {
    call.progress(183, { content: sdp('0') });
    call.progress(180);
  };
  const { number } = await world.number([trunk.port]);
  const call = caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['183', '180']);
  expect(caller.responses[0]?.body.toString()).toContain('m=audio');
  call.cancel();
  await cdrsOf(number, 1);
});

test('PRACK on both legs where both can (trap 6)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  trunk.onCall = (call) => {
    call.progress(183, { content: sdp('0') }, true);
    call.whenAcceptable(() => trunk.answer(call));
  };
  const { number } = await world.number([trunk.port]);
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['183', 'answered']);
  expect(caller.responses[0]?.headers.lists('Require', '100rel')).toBe(true);
  caller.sessions[0]?.hangUp();
  await cdrsOf(number, 1);
});

test('the answer waits until the caller has acknowledged the reliable description (RFC 3262 3)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  trunk.onCall = (call) => {
    call.progress(183, { content: sdp('0') }, true);
    call.whenAcceptable(() => trunk.answer(call));
  };
  const { number } = await world.number([trunk.port]);
  let answers = 0;
  const stopListening = world.endpoint.taps.add({
    message: ({ direction, remote, bytes }) => {
      const isAnswer = /^SIP\/2\.0 200[\s\S]*\r\nCSeq: 1 INVITE/.test(bytes.toString());
      if (direction === 'in' && remote.port === trunk.port && isAnswer) answers++;
    },
  });
  const call = caller.dial(number, { manualPrack: true });
  // The trunk repeats its answer, so it has not been acknowledged for half a second.
  await expect.poll(() => answers).toBe(2);
  stopListening();
  expect(caller.events).toEqual(['183']);
  const [described] = caller.responses;
  if (described) call.prack(described);
  await expect.poll(() => caller.events).toEqual(['183', 'answered']);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  caller.sessions[0]?.hangUp();
  expect((await cdrsOf(number, 1))[0]).toMatchObject({ success: true, disconnect_code: 200 });
});

test('a caller that gives up before it has acknowledged the description: the answer is hung up, one CDR', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  trunk.onCall = (call) => {
    call.progress(183, { content: sdp('0') }, true);
    call.whenAcceptable(() => trunk.answer(call));
  };
  const { number } = await world.number([trunk.port]);
  const call = caller.dial(number, { manualPrack: true });
  await expect.poll(() => trunk.sessions).toHaveLength(1);
  await expect.poll(() => caller.events).toEqual(['183']);
  call.cancel();
  await expect.poll(() => caller.events).toEqual(['183', 'failed 487']);
  await expect.poll(() => trunk.events.at(-1)).toBe('ended remote');
  expect((await cdrsOf(number, 1))[0]).toMatchObject({ success: false, disconnect_code: 487 });
});

test('a delayed offer: the answer goes to the trunk in the ACK (traps 6 and 12)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port]);
  caller.dial(number, { extra: {} }, sdp('0'));
  await expect.poll(() => trunk.events).toEqual(['ack']);
  expect(trunk.invites[0]?.body.length).toBe(0);
  expect(trunk.requests[0]?.body.toString()).toContain('m=audio');
  caller.sessions[0]?.hangUp();
  await cdrsOf(number, 1);
});

test('hold and resume from both sides (trap 2), INFO, and a refused offer leaves the call up (trap 14)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port], { tx_dtmf_format_id: 4 });
  caller.dial(number);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  const statuses: (number | undefined)[] = [];
  const [a, b] = [caller.sessions[0], trunk.sessions[0]];
  for (const session of [a, b]) {
    session?.reinvite({ content: sdp('0', ['a=sendonly']) }, (response) => {
      statuses.push(response?.status);
      if (response) session.acknowledge(response);
    });
    await expect.poll(() => statuses.length).toBe(session === a ? 1 : 2);
  }
  a?.send('INFO', { content: { type: 'application/dtmf-relay', body: Buffer.from('Signal=5\r\n') } }, (response) =>
    statuses.push(response?.status),
  );
  await expect.poll(() => statuses).toEqual([200, 200, 200]);
  expect(trunk.requests.find(({ method }) => method === 'INVITE')?.body.toString()).toContain('a=sendonly');
  // In the format that the trunk asks for.
  expect(trunk.requests.find(({ method }) => method === 'INFO')?.body.toString()).toBe('5');
  // The trunk's key presses come in RTP (rx_dtmf_format_id 1): one in INFO is answered and not passed on; other INFO
  // is.
  for (const type of ['application/dtmf-relay', 'application/vnd.x']) {
    b?.send('INFO', { content: { type, body: Buffer.from('Signal=7\r\n') } }, (response) =>
      statuses.push(response?.status),
    );
  }
  await expect.poll(() => statuses).toEqual([200, 200, 200, 200, 200]);
  const informed = caller.requests.filter(({ method }) => method === 'INFO');
  expect(informed.map(({ headers }) => headers.first('Content-Type'))).toEqual(['application/vnd.x']);
  a?.reinvite({ content: sdp('18', []) }, (response) => statuses.push(response?.status));
  await expect.poll(() => statuses.at(-1)).toBe(488);
  a?.send('REFER', { headers: [['Refer-To', '<sip:x@127.0.0.1>']] }, (response) => statuses.push(response?.status));
  await expect.poll(() => statuses.at(-1)).toBe(603);
  expect([a?.isEnded, b?.isEnded]).toEqual([false, false]);
  a?.hangUp();
  await cdrsOf(number, 1);
});

test('30x is followed as often as the trunk allows', async () => {
  const [caller, first, second] = [await world.phone(), await world.phone(), await world.phone()];
  first.onCall = (call) => call.reject(302, { headers: [['Contact', `<sip:new@127.0.0.1:${second.port}>`]] });
  const { number } = await world.number([first.port], { max_30x_redirects: 1 });
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(second.invites[0]?.uri).toBe(`sip:new@127.0.0.1:${second.port}`);
  caller.sessions[0]?.hangUp();
  const strict = await world.number([first.port]);
  caller.dial(strict.number);
  await expect.poll(() => caller.events.at(-1)).toBe('failed 480');
});

test('a trunk that asks for credentials gets them; TCP is used where the trunk says so', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  trunk.onCall = (call) => {
    const { request } = call.transaction;
    if (request.headers.has('Authorization')) return void trunk.answer(call);
    call.reject(401, { headers: [['WWW-Authenticate', 'Digest realm="pbx", nonce="n1", qop="auth"']] });
  };
  const sip = { transport_protocol_id: 2, auth_enabled: true, auth_user: 'u1', auth_password: 'secret' };
  const { number } = await world.number([trunk.port], { ...sip, auth_from_user: 'main', auth_from_domain: 'pbx.test' });
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  const last = trunk.invites.at(-1);
  expect(last?.headers.first('Via')).toMatch(/^SIP\/2\.0\/TCP/);
  expect(last?.headers.first('Authorization')).toContain('username="u1"');
  expect(last?.headers.first('From')).toMatch(/<sip:main@pbx\.test>/);
  caller.sessions[0]?.hangUp();
  await cdrsOf(number, 1);
});

test('a call that is ended elsewhere is hung up on both legs', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number, accountId } = await world.number([trunk.port]);
  caller.dial(number);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  const { rows } = await world.world.env.pool.query('select id from open_calls where account_id = $1', [accountId]);
  await endCallById(world.world.env, rows[0]?.id, { code: 503, reason: 'Test', initiator: 'switch' }, () =>
    world.world.env.clock.now(),
  );
  await expect.poll(() => [caller.events.at(-1), trunk.events.at(-1)]).toEqual(['ended remote', 'ended remote']);
  expect((await cdrsOf(number, 1))[0]).toMatchObject({ disconnect_code: 503, disconnect_initiator: 'Switch' });
});

test("a trunk with cnam_lookup gets the caller's name in From, and pays for it", async () => {
  const { env } = world.world;
  await setVoiceRate(env, { kind: 'cnam_lookup', prefix: '4420', perMinute: '0', connectionFee: '0.01' });
  await setCallerName(env, '442071234567', 'LEE "ANN"');
  const [caller, callee] = [await world.phone(), await world.phone()];
  const { accountId, number } = await world.number([callee.port], { cnam_lookup: true });
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(callee.invites[0]?.from.displayName).toBe('LEE "ANN"');
  caller.sessions[0]?.hangUp();
  await expect
    .poll(() => env.db.selectFrom('cdrs_in').selectAll().where('account_id', '=', accountId).execute())
    .toMatchObject([{ src_name: 'LEE "ANN"', cnam_amount: '0.0100' }]);
});
