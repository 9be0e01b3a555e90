/** What every media engine does, told by tones that are recognised at both ends. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LegSettings, type MediaCall, type MediaLeg, MediaRefused } from '../../src/engines/media/media-engine.ts';
import { sampleRate } from '../../src/engines/speech/g711.ts';
import { toneOf } from '../../src/engines/speech/tone.ts';
import { startBaresip } from '../support/baresip.ts';
import { callPhone } from './called-phone.ts';
import { engines, type OpenEngine } from './engines.ts';
import { agree, type Joined, openParty, plainLeg } from './parties.ts';

describe.each(Object.entries(engines))('%s', (_name, open) => {
  let opened: OpenEngine;
  const parties: Joined[] = [];
  const calls: MediaCall[] = [];
  /** What the engine told of its own accord. */
  const told: string[] = [];

  beforeAll(async () => {
    opened = await open(['127.0.0.1', '::1']);
  });
  afterEach(async () => {
    await Promise.all(calls.splice(0).map((call) => call.close()));
    await Promise.all(parties.splice(0).map(({ party }) => party.leave()));
    told.splice(0);
  });
  afterAll(() => opened.close());

  function openCall(): MediaCall {
    const call = opened.engine.open(randomUUID(), {
      silent: (leg: MediaLeg) => told.push(`silent: ${leg.name}`),
      keyPress: (leg: MediaLeg, key: string) => told.push(`${leg.name} pressed ${key}`),
      died: (reason: string) => told.push(`died: ${reason}`),
    });
    calls.push(call);
    return call;
  }
  async function join(
    call: MediaCall,
    name: string,
    settings: Partial<LegSettings> = {},
    host?: string,
  ): Promise<Joined> {
    const joined = { leg: call.leg(name, { ...plainLeg, ...settings }), party: await openParty(host) };
    parties.push(joined);
    return joined;
  }
  const hearing = (...all: Joined[]) => expect.poll(() => all.map(({ party }) => party.hears()), { timeout: 60_000 });

  test('both parties hear each other through the engine, and what was heard is told', async () => {
    const call = openCall();
    const [ann, bob] = [await join(call, 'ann'), await join(call, 'bob')];
    const { offer, answer } = await agree(call, ann, bob);
    expect(portOf(offer)).not.toBe(portOf(String(ann.party.audio.offer().body)));
    expect(portOf(answer)).not.toBe(portOf(offer));
    ann.party.play(440);
    bob.party.play(900);
    await hearing(ann, bob).toEqual([900, 440]);
    const { legs } = await call.close();
    expect(legs).toMatchObject([
      { name: 'ann', heard: { codec: 'PCMU', encryption: 'disabled' } },
      { name: 'bob', heard: { codec: 'PCMU', encryption: 'disabled' } },
    ]);
    for (const { heard } of legs) {
      expect(heard.packets).toBeGreaterThan(4);
      expect(heard.bytes).toBeGreaterThan(160 * 4);
      expect(heard.source).toMatch(/^127\.0\.0\.1:\d+$/);
    }
    expect(opened.engine.state().calls).toBe(0);
    expect(told).toEqual([]);
  });

  test('a party on IPv4 and one on IPv6 hear each other, whichever of them calls', async () => {
    for (const [caller, called] of [
      ['127.0.0.1', '::1'],
      ['::1', '127.0.0.1'],
    ] as const) {
      const call = openCall();
      const family = called === '::1' ? 6 : 4;
      const [ann, bob] = [await join(call, 'ann', {}, caller), await join(call, 'bob', { family }, called)];
      const { offer, answer } = await agree(call, ann, bob);
      expect([offer, answer].map((sdp) => /^c=IN (\S+ \S+)/m.exec(sdp)?.[1])).toEqual(
        family === 6 ? ['IP6 ::1', 'IP4 127.0.0.1'] : ['IP4 127.0.0.1', 'IP6 ::1'],
      );
      ann.party.play(440);
      bob.party.play(900);
      await hearing(ann, bob).toEqual([900, 440]);
    }
  });

  test('a new offer within the call keeps the ports, and its version rises', async () => {
    const call = openCall();
    const [ann, bob] = [await join(call, 'ann'), await join(call, 'bob')];
    const first = await agree(call, ann, bob);
    const held = await agree(call, ann, bob, 'sendonly');
    const resumed = await agree(call, bob, ann);
    expect([portOf(held.offer), portOf(held.answer)]).toEqual([portOf(first.offer), portOf(first.answer)]);
    expect([portOf(resumed.answer), portOf(resumed.offer)]).toEqual([portOf(first.offer), portOf(first.answer)]);
    expect(held.offer).toContain('a=sendonly');
    const [id, version] = originOf(first.offer);
    expect(originOf(held.offer)).toEqual([id, (version ?? 0) + 1]);
    expect(originOf(resumed.answer)[0]).toBe(id);
    ann.party.play(440);
    bob.party.play(900);
    await hearing(ann, bob).toEqual([900, 440]);
  });

  test('after a refused offer what stood before stands', async () => {
    const call = openCall();
    const [ann, bob, elsewhere] = [await join(call, 'ann'), await join(call, 'bob'), await join(call, 'elsewhere')];
    await agree(call, ann, bob);
    await call.offer(ann.leg, bob.leg, elsewhere.party.audio.offer().body);
    call.refused(ann.leg, bob.leg);
    ann.party.play(440);
    bob.party.play(900);
    await hearing(ann, bob).toEqual([900, 440]);
    expect(elsewhere.party.packets).toBe(0);
  });

  test('of several phones that ring the one that answers is heard; a party that leaves is not', async () => {
    const call = openCall();
    const [ann, bob, carl] = [await join(call, 'ann'), await join(call, 'bob'), await join(call, 'carl')];
    const offer = ann.party.audio.offer().body;
    const [toBob, toCarl] = [await call.offer(ann.leg, bob.leg, offer), await call.offer(ann.leg, carl.leg, offer)];
    bob.party.audio.answer(toBob);
    const answer = await call.answer(carl.leg, ann.leg, carl.party.audio.answer(toCarl).body);
    call.drop(bob.leg);
    ann.party.audio.accept(answer);
    ann.party.play(440);
    bob.party.play(1_300);
    carl.party.play(900);
    await hearing(ann, carl).toEqual([900, 440]);
    // Transferred: the same caller with another party.
    const dora = await join(call, 'dora');
    await agree(call, ann, dora);
    call.drop(carl.leg);
    dora.party.play(1_700);
    await hearing(ann, dora).toEqual([1_700, 440]);
    const { legs } = await call.close();
    expect(legs.map(({ name, heard }) => [name, heard.packets > 0])).toEqual([
      ['ann', true],
      ['bob', false],
      ['carl', true],
      ['dora', true],
    ]);
  });

  test('a key that is pressed for a party arrives as a telephone event, once', async () => {
    const call = openCall();
    const [ann, bob] = [await join(call, 'ann', { keyPresses: 'told' }), await join(call, 'bob')];
    await agree(call, ann, bob);
    ann.party.play(440);
    bob.party.play(900);
    await hearing(ann, bob).toEqual([900, 440]);
    expect(bob.leg.press('7', 160)).toBe(true);
    await expect.poll(() => bob.party.keys.join(''), { timeout: 60_000 }).toBe('7');
    expect(ann.party.keys).toEqual([]);
  });

  test('who falls silent is told of once; who holds the call need not send', async () => {
    const call = openCall();
    const [ann, bob] = [await join(call, 'ann', { silenceSeconds: 1 }), await join(call, 'bob', { silenceSeconds: 1 })];
    await agree(call, ann, bob);
    ann.party.play(440);
    bob.party.play(900);
    await hearing(ann, bob).toEqual([900, 440]);
    await agree(call, ann, bob, 'sendonly');
    bob.party.mute();
    await hearing(bob).toEqual([440]);
    ann.party.mute();
    await agree(call, ann, bob);
    bob.party.play(900);
    await expect.poll(() => told, { timeout: 60_000 }).toEqual(['silent: ann']);
    expect(told).toEqual(['silent: ann']);
  });

  test.each([
    ['srtp_sdes', /m=audio \d+ RTP\/SAVP .*a=crypto:\d+ /s],
    ['srtp_dtls', /m=audio \d+ UDP\/TLS\/RTP\/SAVP .*a=fingerprint:/s],
    ['disabled', /m=audio \d+ RTP\/AVP /],
    ['as offered', /m=audio \d+ RTP\/AVP /],
  ] as const)('a party with %s gets an offer of it', async (encryption, described) => {
    const call = openCall();
    const [ann, bob] = [await join(call, 'ann'), await join(call, 'bob', { encryption })];
    const offer = String(await call.offer(ann.leg, bob.leg, ann.party.audio.offer().body));
    expect(offer).toMatch(described);
    expect(offer).not.toMatch(/NULL_HMAC/);
  });

  test.each([
    ['srtp_sdes', 'srtp-mand', /AES_CM_128|AES_CM_256|AEAD|srtp_sdes/],
    ['srtp_dtls', 'dtls_srtp', /AES_CM_128|AEAD|srtp_dtls/],
  ] as const)(
    'baresip with %s hears the tone of a phone without, which hears it come back',
    async (encryption, mediaenc, named) => {
      const baresip = await startBaresip(`<sip:phone@127.0.0.1>;regint=0;answermode=auto;mediaenc=${mediaenc}`);
      try {
        await expect.poll(baresip.said).toContain('baresip is ready');
        const call = openCall();
        const [ann, leg] = [await join(call, 'ann'), call.leg('baresip', { ...plainLeg, encryption })];
        const called = await callPhone(baresip.port, await call.offer(ann.leg, leg, ann.party.audio.offer().body));
        ann.party.audio.accept(await call.answer(leg, ann.leg, called.answer));
        ann.party.play(440);
        await hearing(ann).toEqual([440]);
        const { legs } = await call.quality();
        expect(legs.map(({ heard }) => heard.encryption)).toEqual(['disabled', expect.stringMatching(named)]);
        called.hangUp();
        // The file is written to its end after the call.
        await expect.poll(async () => tonesIn(await baresip.heard())).toContain(440);
        await called.close();
      } finally {
        await baresip.stop();
      }
    },
  );

  test('what is no description is refused', async () => {
    const call = openCall();
    const [ann, bob] = [await join(call, 'ann'), await join(call, 'bob')];
    for (const sdp of ['', 'nonsense', 'v=0\r\nm=x\r\n']) {
      await expect(call.offer(ann.leg, bob.leg, Buffer.from(sdp))).rejects.toThrow(MediaRefused);
    }
  });
});

/** Of each tenth of a second. */
function tonesIn(samples: Int16Array): (number | null)[] {
  const step = sampleRate / 10;
  return Array.from({ length: Math.floor(samples.length / step) }, (_, at) =>
    toneOf(samples.subarray(at * step, (at + 1) * step)),
  );
}

const portOf = (sdp: string): number => Number(/^m=audio (\d+)/m.exec(sdp)?.[1]);

const originOf = (sdp: string): number[] => /^o=\S+ (\d+) (\d+)/m.exec(sdp)?.slice(1).map(Number) ?? [];
