/**
 * Reliable provisional responses and their PRACK (RFC 3262): in order, repeated, before and after the answer, by peer.
 */
import { expect, test } from 'vitest';
import { createWorld, sdp } from './world.fixture.ts';

test('reliable provisionals: PRACK in order, repeated until then, one at a time (RFC 3262)', () => {
  const { alice, place, ringing, timers, sent, responses } = createWorld();
  place();
  expect(ringing().peerSupportsReliable).toBe(true);
  ringing().progress(183, { content: sdp() }, true);
  ringing().progress(180, {}, true);
  timers.advance(20);
  expect(alice.events).toEqual(['183', '180']);
  expect(sent('PRACK').map((prack) => prack.headers.first('RAck'))).toEqual(['1 1 INVITE', '2 1 INVITE']);
  expect(responses(183)[0]?.headers.first('Require')).toBe('100rel');
  timers.advance(5_000);
  expect(responses(183)).toHaveLength(1);
});

test('an answer waits for the PRACK of a reliable session description, not for that of a plain one (RFC 3262 3)', () => {
  const { alice, bob, place, ringing, accept, timers, responses } = createWorld();
  const call = place({ manualPrack: true });
  ringing().progress(180, {}, true);
  ringing().progress(183, { content: sdp() }, true);
  const decisions: boolean[] = [];
  ringing().whenAcceptable((isOpen) => decisions.push(isOpen));
  expect(accept).toThrow('PRACK');
  for (const status of [180, 183]) {
    timers.advance(600);
    expect(decisions).toEqual([]);
    const [response] = responses(status);
    if (response) call.prack(response);
  }
  timers.advance(20);
  expect(decisions).toEqual([true]);
  accept();
  expect(alice.events.at(-1)).toBe('answered');
  expect(bob.events).toEqual(['acknowledged']);
});

test('whoever waits with the answer is told that the caller has given up', () => {
  const { place, ringing, timers } = createWorld();
  const call = place({ manualPrack: true });
  ringing().progress(183, { content: sdp() }, true);
  const decisions: boolean[] = [];
  ringing().whenAcceptable((isOpen) => decisions.push(isOpen));
  call.cancel();
  timers.advance(20);
  expect(decisions).toEqual([false]);
  ringing().whenAcceptable((isOpen) => decisions.push(isOpen));
  expect(decisions).toEqual([false, false]);
});

test('a PRACK that comes after the answer is accepted', () => {
  const { alice, bob, place, ringing, accept, timers } = createWorld();
  place({ manualPrack: true });
  ringing().progress(180, {}, true);
  timers.advance(5);
  accept();
  const statuses: (number | undefined)[] = [];
  const headers = [['RAck', '1 1 INVITE']] as const;
  alice.sessions[0]?.send('PRACK', { headers }, (response) => statuses.push(response?.status));
  timers.advance(20);
  expect(statuses).toEqual([200]);
  expect(bob.events).toEqual(['acknowledged']);
});

test('a PRACK that never comes ends the call with 504 after 32 s', () => {
  const { alice, bob, place, ringing, timers, responses } = createWorld();
  place({ manualPrack: true });
  ringing().progress(183, {}, true);
  timers.advance(40_000);
  expect(alice.events).toEqual(['183', 'failed 504 Server Time-out']);
  expect(bob.events).toEqual(['cancelled']);
  expect(responses(183).length).toBeGreaterThan(5);
});

test('reliable provisionals per peer: off is not offered, required is demanded (trap 6)', () => {
  const { place, sent, ringing, timers, responses } = createWorld();
  place({ reliable: 'off' });
  expect(sent('INVITE')[0]?.headers.lists('Supported', '100rel')).toBe(false);
  place({ reliable: 'required' });
  expect(sent('INVITE')[1]?.headers.lists('Require', '100rel')).toBe(true);
  ringing().progress(180);
  timers.advance(5);
  expect(responses(180)[0]?.headers.has('RSeq')).toBe(true);
});
