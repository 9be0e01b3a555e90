/** What tests of calls need: an environment, numbers and trunks in it, and the calls of this process. */
import { afterAll } from 'vitest';
import { type Voice, voiceOf } from '../../src/business/voice/voice.ts';
import { createTestEnvironment, type TestEnvironment } from './environment.ts';
import { createTelephony, type Telephony } from './telephony.ts';
import { useMade, useOpened } from './use.ts';

export function useTelephony(): { house: TestEnvironment; telephony: Telephony; voice: Voice } {
  const house = useOpened(() => createTestEnvironment());
  const telephony = useMade(() => createTelephony(house.env));
  const voice = useMade(() => voiceOf(house.env));
  afterAll(() => voice.stop());
  return { house, telephony, voice };
}
