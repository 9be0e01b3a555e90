/** The metrics of verifications, counted by this process. No label contains a number, a code or an id. */
import { Counter, Histogram, type Metric } from 'prom-client';
import type { Environment, Once } from '../../engines/environment.ts';
import { VerificationError } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';
import { type StoredState, stateAt } from './verification.ts';

type Adapter = 'inbox' | 'http' | 'smpp' | 'call';

/** Made with the first code: a command that sends none loads no library of metrics for them. */
export interface WithCodeMetrics {
  readonly codeMetrics: Once<ReturnType<typeof create>>;
}

/** The metrics that the server shows. */
export function verificationMetrics(env: WithCodeMetrics): Metric[] {
  return Object.values(metricsOf(env));
}

export function countStart(env: WithCodeMetrics, method: DeliveryMethod | 'unknown', outcome: string): void {
  metricsOf(env).starts.inc({ delivery_method: method, outcome });
}

export function countReport(env: WithCodeMetrics, result: string): void {
  metricsOf(env).reports.inc({ result });
}

/** Runs `work` and counts its result: the first error code, the reason why the verification ended, or its status. */
export async function counting<Row extends StoredState>(
  env: Pick<Environment, 'clock'>,
  work: () => Promise<Row>,
  count: (outcome: string) => void,
): Promise<Row> {
  try {
    const row = await work();
    const { status, errorCode } = stateAt(row, env.clock.now());
    count(errorCode ?? status);
    return row;
  } catch (error) {
    count(error instanceof VerificationError ? error.codes[0] : 'internal_error');
    throw error;
  }
}

export function observeDispatch(
  env: WithCodeMetrics,
  adapter: Adapter,
  outcome: 'sent' | 'refused' | 'unknown',
  seconds: number,
): void {
  const { dispatches, dispatchSeconds } = metricsOf(env);
  dispatches.inc({ adapter, outcome });
  dispatchSeconds.observe({ adapter }, seconds);
}

/** `reason` is one of a few fixed words; the operator has chosen the provider's name. */
export function countProviderFailure(env: WithCodeMetrics, provider: string, reason: string): void {
  metricsOf(env).providerFailures.inc({ provider, reason });
}

function metricsOf({ codeMetrics }: WithCodeMetrics): ReturnType<typeof create> {
  codeMetrics.made ??= create();
  return codeMetrics.made;
}

function create() {
  const registers: [] = [];
  return {
    starts: new Counter({
      name: 'trunkline_verification_starts_total',
      help: 'Requests to start a verification, by delivery method and outcome.',
      labelNames: ['delivery_method', 'outcome'],
      registers,
    }),
    reports: new Counter({
      name: 'trunkline_verification_reports_total',
      help: 'Requests that reported a code, by result.',
      labelNames: ['result'],
      registers,
    }),
    dispatches: new Counter({
      name: 'trunkline_verification_dispatches_total',
      help: 'Codes given to an adapter for delivery, by outcome.',
      labelNames: ['adapter', 'outcome'],
      registers,
    }),
    providerFailures: new Counter({
      name: 'trunkline_verification_provider_failures_total',
      help: 'Messages that a provider refused, or for which it gave no clear response, by reason.',
      labelNames: ['provider', 'reason'],
      registers,
    }),
    dispatchSeconds: new Histogram({
      name: 'trunkline_verification_dispatch_duration_seconds',
      help: 'Time until an adapter reported the outcome of a code.',
      labelNames: ['adapter'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
      registers,
    }),
  };
}
