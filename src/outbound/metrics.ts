/** Counts the requests that this process sent, by purpose and result. No label contains an address or an id. */
import { Counter, type Metric } from 'prom-client';
import type { Environment } from '../environment.ts';
import { OutboundError } from './outbound-request.ts';

type Purpose = 'callback' | 'call_event' | 'approval';

const ofEnvironment = new WeakMap<Environment, Counter<'purpose' | 'result'>>();

/** The metrics that the server shows. */
export function outboundMetrics(env: Environment): Metric[] {
  return [counterOf(env)];
}

/** `result` is `ok`, the class of the status, or the kind of the error. */
export function countOutgoing(env: Environment, purpose: Purpose, outcome: { ok: boolean; result: number | string }) {
  const { ok, result } = outcome;
  const named = typeof result === 'number' ? `status_${Math.floor(result / 100)}xx` : result;
  counterOf(env).inc({ purpose, result: ok ? 'ok' : named });
}

/** The label of an error. */
export function resultOf(error: unknown): string {
  return error instanceof OutboundError ? error.kind : 'internal';
}

function counterOf(env: Environment): Counter<'purpose' | 'result'> {
  const known =
    ofEnvironment.get(env) ??
    new Counter({
      name: 'trunkline_outgoing_requests_total',
      help: 'Requests sent to receivers of customers, by purpose and result.',
      labelNames: ['purpose', 'result'],
      registers: [],
    });
  ofEnvironment.set(env, known);
  return known;
}
