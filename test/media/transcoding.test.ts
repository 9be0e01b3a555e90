/** Parties that share no codec, joined by rtpengine where the operator allows it: tones are recognised at both ends. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type MediaCall, MediaRefused, type MediaUser } from '../../src/engines/media/media-engine.ts';
import { MediaShare } from '../../src/engines/media/share.ts';
import type { Codec } from '../../src/engines/speech/rtp.ts';
import { engines, type OpenEngine } from './engines.ts';
import { agree, type Joined, openParty, plainLeg } from './parties.ts';

let opened: OpenEngine;
const parties: Joined[] = [];
const calls: MediaCall[] = [];

beforeAll(async () => {
  opened = await engines.rtpengine(['127.0.0.1']);
});
afterEach(async () => {
  await Promise.all(calls.splice(0).map((call) => call.close()));
  await Promise.all(parties.splice(0).map(({ party }) => party.leave()));
});
afterAll(() => opened.close());

const user: MediaUser = {
  silent: () => undefined,
  keyPress: () => undefined,
  died: (reason) => expect.unreachable(reason),
  mayTranscode: () => true,
};

function openCall(engine: Pick<OpenEngine['engine'], 'open'> = opened.engine, of = user): MediaCall {
  const call = engine.open('transcoded', of);
  calls.push(call);
  return call;
}

/** A party with one codec, whose leg takes `codecs`. */
async function join(call: MediaCall, name: string, codec: Codec, codecs: readonly string[] | null): Promise<Joined> {
  const joined = { leg: call.leg(name, { ...plainLeg, codecs }), party: await openParty('127.0.0.1', [codec]) };
  parties.push(joined);
  return joined;
}

const hearing = (...all: Joined[]) => expect.poll(() => all.map(({ party }) => party.hears()), { timeout: 60_000 });

test.each([
  ['PCMU', 'PCMA'],
  ['PCMA', 'PCMU'],
] as const)('%s and %s hear each other, press keys, and each side has its own codec', async (one, other) => {
  const call = openCall();
  const [ann, bob] = [await join(call, 'ann', one, null), await join(call, 'bob', other, [other.toLowerCase()])];
  const { offer, answer } = await agree(call, ann, bob);
  expect([offer, answer].map((sdp) => /^a=rtpmap:(?!101)\d+ (\w+)/m.exec(sdp)?.[1])).toEqual([other, one]);
  ann.party.play(440);
  bob.party.play(900);
  await hearing(ann, bob).toEqual([900, 440]);
  await ann.party.audio.press('5', new AbortController().signal);
  await expect.poll(() => bob.party.keys.join(''), { timeout: 60_000 }).toBe('5');
  const { legs } = await call.quality();
  expect(legs.map(({ heard }) => heard.codec)).toEqual([one, other]);
});

test.each(['opus', 'g722', 'gsm'])('%s is made and read: two calls in a row, with it between them', async (codec) => {
  const [first, second] = [openCall(), openCall()];
  const [ann, bob] = [await join(first, 'ann', 'PCMU', null), await join(second, 'bob', 'PCMA', ['pcma'])];
  const between = [first.leg('out', { ...plainLeg, codecs: [codec] }), second.leg('in', plainLeg)] as const;
  const passed = await first.offer(ann.leg, between[0], ann.party.audio.offer().body);
  expect(String(passed).toLowerCase()).toContain(` ${codec}/`);
  const offer = await second.offer(between[1], bob.leg, passed);
  const answer = await second.answer(bob.leg, between[1], bob.party.audio.answer(offer).body);
  ann.party.audio.accept(await first.answer(between[0], ann.leg, answer));
  ann.party.play(440);
  bob.party.play(900);
  await hearing(ann, bob).toEqual([900, 440]);
});

test('either side holds and goes on, and what it offers is transcoded as before', async () => {
  const call = openCall();
  const [ann, bob] = [await join(call, 'ann', 'PCMU', null), await join(call, 'bob', 'PCMA', ['pcma'])];
  await agree(call, ann, bob);
  for (const [holder, other] of [
    [bob, ann],
    [ann, bob],
  ] as const) {
    await agree(call, holder, other, 'sendonly');
    await agree(call, holder, other);
    // What was refused changes nothing.
    await call.offer(holder.leg, other.leg, holder.party.audio.offer('inactive').body);
    call.refused(holder.leg, other.leg);
    ann.party.play(440);
    bob.party.play(900);
    await hearing(ann, bob).toEqual([900, 440]);
    ann.party.play(1_300);
    bob.party.play(1_700);
    await hearing(ann, bob).toEqual([1_700, 1_300]);
  }
});

test('who shares a codec is not transcoded, whatever else they have', async () => {
  const call = openCall(opened.engine, { ...user, mayTranscode: () => expect.unreachable('nobody needs it') });
  const ann = { leg: call.leg('ann', plainLeg), party: await openParty() };
  parties.push(ann);
  const bob = await join(call, 'bob', 'PCMA', ['pcma', 'gsm']);
  const { offer } = await agree(call, ann, bob);
  expect(offer).not.toContain('GSM');
  const video = call.leg('video', { ...plainLeg, codecs: ['pcma'] });
  const lines = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', 'm=video 9000 RTP/AVP 31'];
  await call.offer(ann.leg, video, Buffer.from(`${lines.join('\r\n')}\r\n`));
});

test('no more calls than the operator allows, in each share of the engine, and whom the user does not refuse', async () => {
  const tried = async (engine: Parameters<typeof openCall>[0], of?: MediaUser) => {
    const call = openCall(engine, of);
    const [ann, bob] = [await join(call, 'ann', 'PCMU', null), await join(call, 'bob', 'PCMA', ['pcma'])];
    return agree(call, ann, bob).then(
      () => call,
      (error: unknown) => error,
    );
  };
  const refusal = new MediaRefused('No codec in common, and no more calls may be transcoded now');
  const share = new MediaShare(opened.engine, 100, 2);
  expect(await tried(opened.engine, { ...user, mayTranscode: () => false })).toEqual(refusal);
  const [first] = [await tried(share), await tried(share)];
  expect(await tried(share)).toEqual(refusal);
  await (first as MediaCall).close();
  expect(await tried(share)).not.toEqual(refusal);
  expect(await tried(new MediaShare(opened.engine, 100))).toEqual(refusal);
  const all = await Promise.all(Array.from({ length: 7 }, () => tried(opened.engine)));
  expect(all.filter((one) => one instanceof MediaRefused)).toEqual([refusal]);
});
