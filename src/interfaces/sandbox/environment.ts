/** What the control interface asks of its sandbox: to simulate messages and calls, and to show what happened. */

import type { VoiceEnvironment } from '../../business/voice/voice.ts';
import type { VerificationEnvironment } from '../verification/environment.ts';
import type { WithRequestRecords } from './happenings/request-records.ts';

export type SandboxEnvironment = VerificationEnvironment & VoiceEnvironment & WithRequestRecords;
