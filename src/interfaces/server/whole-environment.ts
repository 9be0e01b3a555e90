/**
 * An environment with what each room has in it once per process: who serves, or runs jobs and commands, has the whole
 * of it.
 */
import { Listeners } from '../../business/callbacks/listeners.ts';
import { StockLooks } from '../../business/suppliers/stock/look.ts';
import type { WithNames } from '../../business/voice/names/names-of.ts';
import type { VoiceEnvironment } from '../../business/voice/voice.ts';
import type { Environment } from '../../engines/environment.ts';
import type { PlatformEnvironment } from '../platform/context.ts';
import { RequestRecords, type WithRequestRecords } from '../sandbox/happenings/request-records.ts';
import type { VerificationEnvironment } from '../verification/environment.ts';
import { Arrivals } from '../verification/inbox-arrivals.ts';

export type WholeEnvironment = PlatformEnvironment &
  VerificationEnvironment &
  VoiceEnvironment &
  WithNames &
  WithRequestRecords;

/** Nothing here opens anything yet. */
export function wholeEnvironment(env: Environment): WholeEnvironment {
  return {
    ...env,
    listeners: new Listeners(env),
    voice: {},
    deliverer: {},
    names: {},
    sip: { endpoint: null },
    codeMetrics: {},
    providers: new Map(),
    arrivals: new Arrivals(),
    generatedKeys: {},
    orderLook: {},
    stockLooks: new StockLooks(),
    requestRecords: new RequestRecords(env),
  };
}
