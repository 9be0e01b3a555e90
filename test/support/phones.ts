/** Built-in phones in a test: opened with few words, what they reported kept, closed after the test. */
import { afterEach, vi } from 'vitest';
import type { PhoneEvent } from '../../src/engines/phone/events.ts';
import { Phone, type PhoneSettings } from '../../src/engines/phone/phone.ts';
import type { CallBehaviour } from '../../src/engines/phone/phone-call.ts';
import type { Target } from '../../src/engines/sip/transport/wire.ts';
import { toneFrames } from '../../src/engines/speech/tone.ts';

export interface TestPhone {
  readonly phone: Phone;
  /** Where others reach it. */
  readonly target: Target;
  readonly events: readonly PhoneEvent[];
  /** The first event of that kind, once there is one. */
  until<K extends PhoneEvent['event']>(kind: K, count?: number): Promise<Extract<PhoneEvent, { event: K }>>;
}

export interface PhoneWishes extends Partial<Omit<PhoneSettings, 'server' | 'behaviour'>>, Partial<CallBehaviour> {
  server?: Target;
  domain?: string;
}

/** Returns a function that opens phones; all of them are closed after each test. */
export function usePhones(): (wishes?: PhoneWishes) => Promise<TestPhone> {
  const open: Phone[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((phone) => phone.close()));
  });
  return async (wishes = {}) => {
    const opened = await openPhone(wishes);
    open.push(opened.phone);
    return opened;
  };
}

export async function openPhone(wishes: PhoneWishes): Promise<TestPhone> {
  const { server, domain = 'sip.test', ...given } = wishes;
  const events: PhoneEvent[] = [];
  const settings: PhoneSettings = {
    transport: 'UDP',
    host: '127.0.0.1',
    port: 0,
    user: 'phone',
    account: null,
    answerAfterMs: 0,
    reject: null,
    ...given,
    server: server === undefined ? null : { target: server, domain },
    behaviour: {
      codecs: null,
      play: () => toneFrames(440),
      keys: '',
      holdAfterMs: null,
      resumeAfterMs: null,
      hangUpAfterMs: null,
      ...given,
    },
  };
  const phone = await Phone.open(settings, (event) => events.push(event));
  const ready = events.find((event) => event.event === 'ready');
  const port = Number(/:(\d+)$/.exec(ready?.contact ?? '')?.[1]);
  const { transport, host: address } = settings;
  return {
    phone,
    events,
    target: { transport, address, port },
    async until<K extends PhoneEvent['event']>(kind: K, count = 1) {
      const ofKind = () => events.filter((event): event is Extract<PhoneEvent, { event: K }> => event.event === kind);
      // Not expect.poll, which does not work in tests that run side by side.
      return vi.waitFor(
        () => {
          const found = ofKind()[count - 1];
          if (found === undefined) throw new Error(`there was no ${kind} among ${JSON.stringify(events)}`);
          return found;
        },
        { timeout: 120_000, interval: 20 },
      );
    },
  };
}
