/** The metrics of one environment, as Prometheus reads them from its port. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { faultCounts } from '../../base/faults.ts';
import type { WithSip } from '../../business/b2bua/endpoint.ts';
import {
  type Counts,
  countCalls,
  countFailingReceivers,
  countReachableCarriers,
  countTrunksByState,
  countWaitingEvents,
} from '../../business/voice/counts.ts';
import { countDroppedMessages, type WithVoice } from '../../business/voice/voice.ts';
import type { Environment } from '../../engines/environment.ts';
import { countBacklog, countJobs, type TaskBacklog } from '../../engines/jobs/inspect.ts';
import { countSetAside } from '../verification/delivery/routing.ts';
import { verificationMetrics, type WithCodeMetrics } from '../verification/metrics.ts';
import { registerMedia } from './media-metrics.ts';
import type { MetricsReaders } from './metrics-readers.ts';
import { inTime, registerPage } from './pages.ts';
import { registerSounds } from './sound-metrics.ts';
import type { Turns } from './turns.ts';
import { registerWatched, type Watched } from './watched-metrics.ts';

export interface Metrics {
  /** `route` is the pattern, so that ids do not make a series each. */
  observe(method: string, route: string, status: number, seconds: number): void;
  /** A request that was refused before its route was known. */
  refused(method: string): void;
  /** An answer that its client did not read. */
  cut(): void;
  /** Shows how many entries the log of requests lost. */
  watchRequestLog(log: { readonly dropped: number }): void;
  /** `mayRead` says who is shown them. */
  register(app: FastifyInstance, mayRead: MetricsReaders): void;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(
  env: Environment & WithCodeMetrics & WithVoice & WithSip,
  turns: Turns,
  watched: Watched = {},
): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ environment: env.name });
  if (env.path === undefined) collectProcessMetrics(registry);
  const registers = [registry];
  const requests = new Counter({
    name: 'trunkline_http_requests_total',
    help: 'HTTP requests that got a response, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'trunkline_http_request_duration_seconds',
    help: 'Time from request to response, by route pattern.',
    labelNames: ['method', 'route'],
    buckets,
    registers,
  });
  const unread = new Counter({
    name: 'trunkline_http_unread_answers_total',
    help: 'Answers whose connections were closed because their clients did not read them.',
    registers,
  });
  if (env.path === undefined) registerTurns(turns, registers);
  registerFaults(registers);
  registerPool(env, registers);
  registerJobs(env, registers);
  registerBacklog(env, registers);
  registerCounts(env, registers);
  registerTraces(env, registers);
  registerSignedCalls(env, registers);
  registerMedia(env.sip, registers);
  registerSounds(env.sip, registers);
  registerWatched(env, watched, registers);
  registerOutbound(env, registers);
  for (const metric of verificationMetrics(env)) registry.registerMetric(metric);
  return {
    observe: (method, route, status, seconds) => {
      requests.inc({ method, route, status });
      latency.observe({ method, route }, seconds);
    },
    watchRequestLog: (log) => registerRequestLog(log, registers),
    cut: () => unread.inc(),
    refused: (method) => requests.inc({ method, route: 'refused', status: 503 }),
    register: (app, mayRead) =>
      registerPage(app, '/metrics', async (request, reply) => {
        reply.header('cache-control', 'no-store');
        if (!(await mayRead(request))) return reply.code(403).send({ error: 'Metrics are not for everybody' });
        return reply.type(registry.contentType).send(await registry.metrics());
      }),
  };
}

function registerTurns(turns: Turns, registers: Registry[]): void {
  new Gauge({
    name: 'trunkline_http_requests_in_turn',
    help: 'HTTP requests of this process, of all environments: worked on, and waiting for their account’s turn.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'worked_on' }, turns.working);
      this.set({ state: 'waiting' }, turns.waiting);
    },
  });
}

/** Not for worlds: an observer of the process keeps the registry, and all that this refers to, for ever. */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  // Gauges with the ending of a counter. The same numbers are in the metrics of these names without `_total`.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`);
}

function registerFaults(registers: Registry[]): void {
  const faults = new Counter({
    name: 'trunkline_faults_total',
    help: 'Errors of this process that no code has handled.',
    labelNames: ['kind'],
    registers,
    collect: () => {
      faults.reset();
      for (const [kind, count] of Object.entries(faultCounts)) faults.inc({ kind }, count);
    },
  });
}

function registerRequestLog(log: { readonly dropped: number }, registers: Registry[]): void {
  const lost = new Counter({
    name: 'trunkline_request_log_dropped_total',
    help: 'Requests that are missing in the log of requests, because the database did not keep up.',
    registers,
    collect: () => {
      lost.reset();
      lost.inc(log.dropped);
    },
  });
}

function registerTraces(env: WithVoice, registers: Registry[]): void {
  const dropped = new Counter({
    name: 'trunkline_call_trace_dropped_total',
    help: 'SIP messages that were not kept for the traces of calls.',
    registers,
    collect: async () => {
      dropped.reset();
      dropped.inc(await countDroppedMessages(env));
    },
  });
}

function registerSignedCalls({ sip }: WithSip, registers: Registry[]): void {
  const signed = new Counter({
    name: 'trunkline_calls_signed_total',
    help: 'Calls to carriers by how they were signed: A, B, C, div, unsigned (nothing to sign), failed.',
    labelNames: ['as'],
    registers,
    collect: () => {
      signed.reset();
      for (const [as, count] of sip.endpoint?.signer.counts ?? []) signed.inc({ as }, count);
    },
  });
}

function registerOutbound({ outbound }: Environment, registers: Registry[]): void {
  const requests = new Counter({
    name: 'trunkline_outgoing_requests_total',
    help: 'Requests sent to receivers of customers, by purpose and result.',
    labelNames: ['purpose', 'result'],
    registers,
    collect: () => {
      requests.reset();
      for (const { purpose, result, count } of outbound.sent.counts()) requests.inc({ purpose, result }, count);
    },
  });
}

function registerPool({ pool }: Environment, registers: Registry[]): void {
  const connections = new Gauge({
    name: 'trunkline_database_connections',
    help: 'Database connections of this process.',
    labelNames: ['state'],
    registers,
    collect: () => {
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    },
  });
  const waiting = new Gauge({
    name: 'trunkline_database_waiting',
    help: 'Requests and jobs that wait for a database connection.',
    registers,
    collect: () => {
      waiting.set(pool.waitingCount);
    },
  });
}

function registerJobs(env: Environment, registers: Registry[]): void {
  const jobs = new Gauge({
    name: 'trunkline_jobs',
    help: 'Jobs in the queue.',
    labelNames: ['state'],
    registers,
    collect: async () => {
      // Without a database there is nothing to count, and the other metrics are still shown.
      const counts = await inTime(countJobs(env)).catch(() => null);
      jobs.reset();
      for (const [state, count] of Object.entries(counts ?? {})) jobs.set({ state }, count);
    },
  });
}

/** By task and state, so that a task that gives up differs from one that only waits. */
function registerBacklog(env: Environment, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: (backlog: TaskBacklog) => number) => {
    const measured = new Gauge({
      name,
      help,
      labelNames: ['task', 'state'],
      registers,
      collect: async () => {
        const backlogs = await inTime(countBacklog(env.pool)).catch(() => []);
        measured.reset();
        for (const backlog of backlogs) measured.set({ task: backlog.task, state: backlog.state }, read(backlog));
      },
    });
  };
  gauge('trunkline_jobs_backlog', 'Jobs that are due, and jobs that gave up, by task.', ({ count }) => count);
  gauge(
    'trunkline_jobs_backlog_seconds',
    'How long ago the oldest job that is due, or that gave up, fell due.',
    ({ oldest }) => oldest,
  );
}

function registerCounts(env: Environment, registers: Registry[]): void {
  const gauge = (name: string, help: string, label: string, count: (env: Environment) => Promise<Counts>) => {
    const measured = new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      collect: async () => {
        const counts = await inTime(count(env)).catch(() => null);
        measured.reset();
        for (const [value, n] of Object.entries(counts ?? {})) measured.set({ [label]: value }, n);
      },
    });
  };
  gauge(
    'trunkline_verification_provider_set_aside',
    '1 for a provider of codes that failed and is used last for a while.',
    'provider',
    countSetAside,
  );
  gauge('trunkline_calls', 'Active calls.', 'direction', countCalls);
  gauge(
    'trunkline_call_events_waiting',
    'Call events and CDRs that are not delivered yet.',
    'stream',
    countWaitingEvents,
  );
  gauge(
    'trunkline_call_event_receivers_failing',
    'Receivers of call events that fail and are retried.',
    'stream',
    countFailingReceivers,
  );
  gauge('trunkline_sip_carrier_up', '1 for a carrier that answers OPTIONS.', 'carrier', countReachableCarriers);
  gauge('trunkline_sip_trunks', 'Inbound trunks that were asked with OPTIONS.', 'state', countTrunksByState);
}
