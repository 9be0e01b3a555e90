/** A real browser and a plain phone, through each media engine: each recognises the other's tone. */
import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { MediaCall } from '../../src/engines/media/media-engine.ts';
import { launchBrowser } from '../support/browser.ts';
import { browserPhoneFlags, openBrowserPhone } from './browser-phone.ts';
import { engines, type OpenEngine } from './engines.ts';
import { openParty, type Party, plainLeg } from './parties.ts';

let browser: Browser;
/** Of the tests that run. */
let engine: OpenEngine['engine'];
const opened: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  browser = await launchBrowser(browserPhoneFlags);
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => browser.close());

async function openPhones(options = {}) {
  const call: MediaCall = engine.open(randomUUID(), {
    silent: () => undefined,
    keyPress: () => undefined,
    died: (reason) => expect.unreachable(reason),
  });
  const web = await openBrowserPhone(await browser.newPage(), 900, options);
  const phone: Party = await openParty();
  opened.push(call, web, { close: () => phone.leave() });
  const legs = {
    web: call.leg('browser', { ...plainLeg, encryption: 'srtp_dtls', isBrowser: true }),
    phone: call.leg('phone', plainLeg),
  };
  return { call, web, phone, legs };
}

type Phones = Awaited<ReturnType<typeof openPhones>>;

async function webOffers({ call, web, phone, legs }: Phones) {
  const offer = await call.offer(legs.web, legs.phone, await web.offer());
  const answer = await call.answer(legs.phone, legs.web, phone.audio.answer(offer).body);
  await web.accept(answer);
  return { offer: offer.toString(), answer: answer.toString() };
}

async function phoneOffers({ call, web, phone, legs }: Phones) {
  const offer = await call.offer(legs.phone, legs.web, phone.audio.offer().body);
  const answer = await call.answer(legs.web, legs.phone, await web.answer(offer));
  phone.audio.accept(answer);
  return { offer: offer.toString(), answer: answer.toString() };
}

async function hearEachOther({ web, phone }: Phones) {
  phone.play(440);
  await expect.poll(() => phone.hears(), { timeout: 60_000 }).toBe(900);
  await expect.poll(async () => Math.abs(((await web.hears()) ?? 0) - 440), { timeout: 60_000 }).toBeLessThan(25);
}

const ofBrowsers = /a=(?:ice|candidate|fingerprint|setup|mid|msid|ssrc|extmap|group|rtcp-mux|crypto)/;

describe.each(Object.entries(engines))('%s', (name, open) => {
  beforeAll(async () => {
    const { engine: own, close } = await open(['127.0.0.1']);
    engine = own;
    return close;
  });

  test.each([{}, { bundlePolicy: 'max-bundle' }] as const)('a browser that calls, with %j', async (options) => {
    const phones = await openPhones(options);
    const { offer, answer } = await webOffers(phones);
    expect(offer).toMatch(/^m=audio \d+ RTP\/AVP /m);
    expect(offer).not.toMatch(ofBrowsers);
    expect(answer).toMatch(/^m=audio \d+ UDP\/TLS\/RTP\/SAVPF /m);
    await hearEachOther(phones);
    const { legs } = await phones.call.quality();
    // rtpengine does not tell it.
    const suite = name === 'embedded' ? ' AES_CM_128_HMAC_SHA1_80' : '';
    expect(legs).toMatchObject([
      { name: 'browser', heard: { encryption: `srtp_dtls${suite}`, codec: 'PCMU', dropped: {} } },
      { name: 'phone', heard: { encryption: 'disabled', dropped: {} } },
    ]);
    // Either may offer again: nothing begins anew.
    await webOffers(phones);
    await phoneOffers(phones);
    await hearEachOther(phones);
    expect(await phones.web.state()).toBe('connected');
  });

  test.each([{}, { bundlePolicy: 'max-bundle' }] as const)('a browser that is called, with %j', async (options) => {
    const phones = await openPhones(options);
    const { offer, answer } = await phoneOffers(phones);
    expect(offer).toMatch(/^m=audio \d+ UDP\/TLS\/RTP\/SAVPF /m);
    if (name === 'embedded') expect(offer).toMatch(/^a=ice-lite\r$/m);
    expect(answer).toMatch(/^m=audio \d+ RTP\/AVP /m);
    expect(answer).not.toMatch(ofBrowsers);
    await hearEachOther(phones);
    await webOffers(phones);
    await hearEachOther(phones);
  });

  test('two browsers', async () => {
    const [one, other] = [await openPhones(), await openPhones()];
    const { call } = one;
    const called = call.leg('other browser', { ...plainLeg, isBrowser: true });
    const offer = await call.offer(one.legs.web, called, await one.web.offer());
    const answer = await call.answer(called, one.legs.web, await other.web.answer(offer));
    await one.web.accept(answer);
    for (const { web } of [one, other])
      await expect.poll(async () => Math.abs(((await web.hears()) ?? 0) - 900), { timeout: 60_000 }).toBeLessThan(25);
    const { legs } = await call.quality();
    expect(legs.find(({ name }) => name === 'other browser')?.heard.codec).toBe('OPUS');
  });
});
