/**
 * Codes spoken by real calls with real RTP. Every test has a number of its own, with a phone in place of its carrier; a
 * call lasts as long as it does in life, so they run side by side.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startBaresip } from '../../../test/support/baresip.ts';
import { type Calling, openCalling } from '../../../test/support/calling.ts';
import { openPhone, type PhoneWishes, type TestPhone } from '../../../test/support/phones.ts';
import { recogniseCode } from '../../../test/support/recognise-code.ts';
import type { VerificationClient } from '../../../test/support/verification-client.ts';
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import type { SessionUser } from '../../engines/sip/dialog/session.ts';
import { secretHash } from '../../engines/sip/digest/hash.ts';
import { DigestServer } from '../../engines/sip/digest/server.ts';
import { machineIds } from '../../engines/sip/ids.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import { openUdpWire } from '../../engines/sip/transport/udp-wire.ts';
import type { Target } from '../../engines/sip/transport/wire.ts';
import { UserAgent } from '../../engines/sip/user-agent.ts';
import { readClips } from '../../engines/speech/clips.ts';
import { changeSettings } from '../../interfaces/verification/settings.ts';
import { setCarrierRate } from '../voice/carriers/routes.ts';

let calling: Calling;
let client: VerificationClient;
const phones: TestPhone[] = [];
const agents: UserAgent[] = [];
let numbers = 0;

beforeAll(async () => {
  calling = await openCalling('production');
  client = await calling.server.client({ codeLength: 4, senders: { default: 'Acme' } });
  await changeSettings(calling.env, { ringSeconds: 15 });
});
afterAll(async () => {
  await Promise.all([...phones.map(({ phone }) => phone.close()), ...agents.map((agent) => agent.close())]);
  await calling.close();
});

const freshNumber = () => `49151${String(++numbers).padStart(8, '0')}`;

async function phoneWith(wishes: PhoneWishes): Promise<TestPhone> {
  const opened = await openPhone(wishes);
  phones.push(opened);
  return opened;
}

/** A phone behind a carrier of its own. */
async function phoneFor(number: string, wishes: PhoneWishes = {}) {
  const phone = await phoneWith(wishes);
  return { ...phone, carrier: await calling.addCarrier(phone.target, number) };
}

async function start(destination: string, languages = ['en-US'], by = client) {
  const { body } = await by.start({ destination, delivery_method: 'callout', callout: { languages } });
  return body.data?.id ?? '';
}
const stateOf = async (id: string) => (await client.status(id)).body.data;
/** Not expect.poll, which does not work in tests that run side by side. */
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 50 });
const untilFailed = (id: string) => until(async () => expect((await stateOf(id))?.status).toBe('failed'));

async function codeHeardBy({ phone }: TestPhone, language: string) {
  const clips = await readClips(language);
  const heard = phone.lastCall?.heard.samples;
  if (clips === null || heard === undefined) throw new Error('nothing was heard');
  return recogniseCode(heard, clips, 4);
}

const report = async (id: string, code: string) => (await client.report(id, code, 'callout')).body.data;

describe.concurrent('a code', () => {
  test.each(['en-US', 'de-DE', 'fr-FR', 'ja-JP', 'ar-EG'])(
    'is recorded by baresip in %s as it was sent, twice, and the code in the recording is right',
    async (language) => {
      const number = freshNumber();
      const baresip = await startBaresip(`<sip:+${number}@127.0.0.1>;regint=0;answermode=auto`);
      try {
        const target: Target = { transport: 'UDP', address: '127.0.0.1', port: baresip.port };
        const carrier = await calling.addCarrier(target, number);
        const id = await start(number, [language]);
        await until(async () =>
          expect(await calling.calls(id)).toMatchObject([
            { outcome: 'spoken', carrier_name: carrier, reason: 'spoken to the end', cost: null },
          ]),
        );
        await until(async () => expect(baresip.said()).toContain('terminated'));
        const clips = (await readClips(language)) ?? expect.unreachable();
        const { code, match } = recogniseCode(await baresip.heard(), clips, 4);
        expect(match).toBeGreaterThan(0.95);
        expect(await report(id, code)).toMatchObject({ status: 'verified' });
      } finally {
        await baresip.stop();
      }
    },
    60_000,
  );

  test('is heard twice by the built-in phone, from the number that is set', async () => {
    const number = freshNumber();
    const phone = await phoneFor(number);
    const id = await start(number);
    expect(await phone.until('ended')).toMatchObject({ cause: 'remote' });
    const { code, match } = await codeHeardBy(phone, 'en-US');
    expect(match).toBeGreaterThan(0.95);
    expect(await report(id, code)).toMatchObject({ status: 'verified' });
    expect(await phone.until('incoming')).toMatchObject({
      from: 'sip:+4930100@127.0.0.1',
      to: expect.stringContaining(`sip:+${number}@`),
    });
    expect(await calling.calls(id)).toMatchObject([
      { outcome: 'spoken', carrier_name: phone.carrier, caller: '4930100', reason: 'spoken to the end', cost: null },
    ]);
  });

  test('is transcoded for a phone that takes A-law only, and can be reported while the call goes on', async () => {
    const number = freshNumber();
    const phone = await phoneFor(number, { codecs: ['PCMA'] });
    const id = await start(number);
    expect(await phone.until('answered')).toMatchObject({ codec: 'PCMA' });
    // Once the answer is stored, a wrong code is counted. It is longer than the code, so never right by accident.
    await until(async () => {
      const { body } = await client.report(id, '00000', 'callout');
      expect(body.errors?.[0]?.code).toBe('code_invalid');
    });
    await phone.until('ended');
    const { code, match } = await codeHeardBy(phone, 'en-US');
    expect(match).toBeGreaterThan(0.95);
    expect(await report(id, code)).toMatchObject({ status: 'verified' });
  });

  test('is spoken to the end to a voicemail that takes the call late and records on', async () => {
    const number = freshNumber();
    const voicemail = await phoneFor(number, { answerAfterMs: 3_000 });
    const id = await start(number);
    expect(await voicemail.until('ended')).toMatchObject({ cause: 'remote' });
    await until(async () =>
      expect(await calling.calls(id)).toMatchObject([{ outcome: 'spoken', reason: 'spoken to the end' }]),
    );
    const { code } = await codeHeardBy(voicemail, 'en-US');
    expect(await report(id, code)).toMatchObject({ status: 'verified' });
  });

  test('begins again after a hold', async () => {
    const number = freshNumber();
    const phone = await phoneFor(number, { holdAfterMs: 2_000, resumeAfterMs: 3_000 });
    const id = await start(number);
    const { seconds } = await phone.until('ended');
    expect(seconds).toBeGreaterThan(14);
    expect(await calling.calls(id)).toMatchObject([{ outcome: 'spoken' }]);
    const heard = phone.phone.lastCall?.heard.samples ?? new Int16Array();
    const clips = await readClips('en-US');
    if (clips === null) throw new Error('there are no clips');
    const { code, match } = recogniseCode(heard.subarray(Math.floor(2.8 * 8000)), clips, 4);
    expect(match).toBeGreaterThan(0.95);
    expect(await report(id, code)).toMatchObject({ status: 'verified' });
  });

  test('that was heard once counts as delivered, although the called party hung up', async () => {
    const number = freshNumber();
    const phone = await phoneFor(number);
    const id = await start(number);
    // By what was heard, not by the clock: a busy machine speaks later.
    await until(async () => expect(phone.phone.lastCall?.heard.seconds).toBeGreaterThan(6.4));
    phone.phone.lastCall?.hangUp();
    await phone.until('ended');
    await until(async () =>
      expect(await calling.calls(id)).toMatchObject([{ outcome: 'spoken', reason: 'hung up by the called party' }]),
    );
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
  });

  test('of which too little was heard is a failed dispatch', async () => {
    const number = freshNumber();
    await phoneFor(number, { hangUpAfterMs: 1_500 });
    const id = await start(number);
    await untilFailed(id);
    expect(await stateOf(id)).toMatchObject({ status: 'failed', error_code: 'dispatch_failed' });
    expect(await calling.calls(id)).toMatchObject([{ outcome: 'hung_up_early', sip_code: 200 }]);
  });
});

describe.concurrent('a call', () => {
  test('that is busy or refused by the called party is a failed dispatch, and no other carrier is asked', async () => {
    for (const status of [486, 603, 404]) {
      const number = freshNumber();
      await phoneFor(number, { reject: status });
      const second = await phoneWith({});
      await calling.addCarrier(second.target, number, {}, 20);
      const id = await start(number);
      await untilFailed(id);
      expect(await stateOf(id)).toMatchObject({ status: 'failed', error_code: 'dispatch_failed' });
      expect(await calling.calls(id)).toMatchObject([{ sip_code: status, answered_at: null, cost: null }]);
      expect(second.events.map(({ event }) => event)).toEqual(['ready']);
    }
  });

  test('that nobody answers is given up after its time, and the phone stops ringing', async () => {
    const number = freshNumber();
    const phone = await phoneFor(number, { answerAfterMs: null });
    const id = await start(number);
    await untilFailed(id);
    await phone.until('cancelled');
    expect(await calling.calls(id)).toMatchObject([{ outcome: 'not_answered', sip_code: 408 }]);
  });

  test('goes to the next carrier when one refuses it or cannot be reached, by prefix and priority; its cost is known', async () => {
    const number = '4917612345678';
    const full = await phoneFor(number, { reject: 503 });
    const good = await phoneWith({ hangUpAfterMs: 1_000 });
    const second = await calling.addCarrier(good.target, '49176', {}, 20);
    const rate = { prefix: '49', perMinute: '0.06', connectionFee: '0.01', initialInterval: 60, nextInterval: 60 };
    await setCarrierRate(calling.env, second, rate);
    const id = await start(number);
    await untilFailed(id);
    expect(await calling.calls(id)).toMatchObject([
      { carrier_name: full.carrier, sip_code: 503, outcome: 'refused' },
      { carrier_name: second, outcome: 'hung_up_early', cost: '0.0700' },
    ]);
  });

  test('to where no route leads fails with a reason for the operator', async () => {
    const number = '33612345678';
    const id = await start(number);
    await untilFailed(id);
    expect(await stateOf(id)).toMatchObject({ error_code: 'dispatch_failed' });
    expect(await calling.calls(id)).toMatchObject([
      { outcome: 'not_placed', carrier_name: null, reason: expect.stringContaining('trunkline route add') },
    ]);
  });
});

describe.concurrent('a carrier', () => {
  const plainUser: SessionUser = {
    request: (session, transaction) => session.answer(transaction, 200),
    acknowledged: () => undefined,
    ended: () => undefined,
  };

  /** A user agent that does with calls what the test says. */
  async function agentFor(number: string, take: (call: IncomingCall) => void, settings = {}) {
    const agent = new UserAgent(
      { timers: machineTimers, ids: machineIds, random: Math.random },
      { call: take, request: (transaction) => transaction.reply(405) },
    );
    agents.push(agent);
    const wire = await openUdpWire({ host: '127.0.0.1', port: 0 }, agent.transport.received);
    agent.transport.attach(wire, { host: '127.0.0.1' });
    const target: Target = { transport: 'UDP', address: '127.0.0.1', port: wire.port };
    await calling.addCarrier(target, number, settings);
    return agent;
  }

  const sdp = (format: number) => ({
    type: 'application/sdp',
    body: Buffer.from(
      `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP ${format}\r\n`,
    ),
  });

  test('that answers with a codec that was not offered is hung up on, and another is asked', async () => {
    const number = freshNumber();
    await agentFor(number, (call) => void call.accept({ content: sdp(18) }, plainUser));
    const id = await start(number);
    await untilFailed(id);
    expect(await calling.calls(id)).toMatchObject([
      { outcome: 'refused', sip_code: 488, reason: 'the answer has neither PCMU nor PCMA' },
    ]);
  });

  test('is given its credentials; early media is no answer, and the number is withheld where none is set', async () => {
    const number = freshNumber();
    const digest = new DigestServer({ realm: 'carrier', secret: 's', ids: machineIds, now: () => performance.now() });
    const seen: string[] = [];
    const take = (call: IncomingCall) => {
      const { request, flow } = call.transaction;
      const verdict = digest.verify(request, 'proxy', flow.address, (user, algorithm) =>
        secretHash(algorithm, user, 'carrier', 'right'),
      );
      if (verdict.outcome !== 'accepted') {
        const response = call.transaction.makeResponse(407);
        digest.challenge(response, 'proxy', flow.address);
        const challenges = response.headers
          .all('Proxy-Authenticate')
          .map((value) => ['Proxy-Authenticate', value] as const);
        return call.reject(407, { headers: challenges });
      }
      seen.push(verdict.username, request.uri, request.from.uri, request.headers.first('Privacy') ?? '-');
      call.progress(183, { content: sdp(0) });
      setTimeout(() => call.reject(480), 300);
    };
    await agentFor(number, take, { credentials: { username: 'us', password: 'right' } });
    const id = await start(number);
    await untilFailed(id);
    expect(seen).toEqual(['us', expect.stringContaining(`sip:+${number}@127.0.0.1:`), 'sip:+4930100@127.0.0.1', '-']);
    expect(await calling.calls(id)).toMatchObject([{ sip_code: 480, answered_at: null }]);
  });
});
