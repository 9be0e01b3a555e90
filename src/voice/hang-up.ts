/** The caller hangs up. */
import type { Disconnect } from './call.ts';
import { phraseOf } from './reasons.ts';

export const hangUp: Disconnect = { code: 200, reason: phraseOf(200), initiator: 'origination' };
