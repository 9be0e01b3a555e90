/**
 * Records what happens in the calls of one process, for people who look for a fault. It never makes a call wait: what
 * it collects is bounded, written in batches, and dropped with a counter when there is too much or the database is
 * away.
 */
import { isUnavailable } from '../../../engines/db/unavailable.ts';
import type { Environment } from '../../../engines/environment.ts';
import { momentOf } from '../moment.ts';
import { type CallTrace, noTrace, RecordedTrace, readableText, type SeenMessage } from './call-trace.ts';
import type { Endpoint, RefusedCall, TracedCall, Way } from './entries.ts';
import { planForgetting } from './forget-traces.ts';
import { RefusalCounter } from './refusal-counter.ts';
import { TraceBudget } from './trace-budget.ts';
import { callIdOf, Unclaimed } from './unclaimed.ts';
import { type TraceRow, traceRow, writeRefusals, writeTraces } from './write-traces.ts';

const flushMs = 250;
/** After an end, late messages and repetitions still belong to the call. */
const lingerMs = 35_000;
/** Bytes of messages that wait to be written. */
const mostWaitingBytes = 16 * 1_048_576;
/** Traces in one statement. */
const batchSize = 100;

interface Leg {
  readonly trace: RecordedTrace;
  readonly leg: number;
}

export class CallRecorder {
  /** Messages that were not kept, for the metrics. */
  dropped = 0;
  readonly #env: Environment;
  readonly #budget = new TraceBudget();
  readonly #refusals = new RefusalCounter();
  readonly #unclaimed = new Unclaimed();
  /** By SIP Call-ID. */
  readonly #legs = new Map<string, Leg>();
  readonly #byCall = new Map<string, RecordedTrace>();
  /** Traces with something to write. */
  readonly #changed = new Set<RecordedTrace>();
  #waitingBytes = 0;
  /** What could not be written because the database was away. */
  #unwritten: TraceRow[] = [];
  #timer: NodeJS.Timeout | null;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(env: Environment) {
    this.#env = env;
    this.#timer = setInterval(() => {
      if (!this.#isWriting) void this.flush();
    }, flushMs).unref();
  }

  /**
   * Starts the trace of a call that has just arrived. `callId` is the caller's SIP Call-ID, null for a simulated call.
   */
  begin(call: TracedCall, callId: string | null): CallTrace {
    const seen = callId === null ? [] : this.#unclaimed.take(callId);
    if (this.#env.traceHours === 0 || !this.#budget.take(call.accountId, performance.now())) {
      this.dropped += seen.length;
      return noTrace;
    }
    const trace = new RecordedTrace(call, callId);
    this.#byCall.set(call.id, trace);
    if (callId !== null) this.#legs.set(callId, { trace, leg: 0 });
    for (const message of seen) this.#add({ trace, leg: 0 }, message);
    this.#changed.add(trace);
    return {
      isRecording: true,
      note: (text, { internal = false } = {}) => {
        trace.addReason(momentOf(this.#env.clock), text, internal);
        this.#changed.add(trace);
      },
      changed: (changed) => this.#change(trace, changed),
      heard: (quality) => {
        trace.media = quality;
        this.#changed.add(trace);
      },
      refused: (changed, rule) => {
        trace.refusal = rule;
        this.#change(trace, changed);
      },
    };
  }

  /** Counts a refused call; the trace of one that an account owns has the rule as well. */
  refused(refused: RefusedCall): void {
    const at = momentOf(this.#env.clock);
    this.#refusals.add(refused, at, performance.now(), () => this.#sample(refused.callId));
  }

  /** A message that this process received or sent. */
  message(
    way: Way,
    bytes: Buffer,
    peer: Endpoint,
    local: Endpoint | null,
    { callId = callIdOf(bytes), at = momentOf(this.#env.clock) } = {},
  ): void {
    if (callId === '') return;
    const leg = this.#legs.get(callId);
    const message = { at, way, bytes, peer, local };
    if (leg === undefined) this.#unclaimed.add(callId, message);
    else this.#add(leg, message);
  }

  /** A further leg of the last attempt: after a redirection, or at the next contact. */
  addLeg(call: string, callId: string): void {
    const trace = this.#byCall.get(call);
    if (trace === undefined || this.#legs.has(callId)) return;
    this.#legs.set(callId, { trace, leg: trace.call.attempts.length });
    trace.furtherLegs.push(callId);
  }

  /** Writes what was collected until now. Never rejects. */
  flush(): Promise<void> {
    this.#isWriting = true;
    const written = this.#writing.then(() => this.#write());
    this.#writing = written;
    return written.finally(() => {
      if (this.#writing === written) this.#isWriting = false;
    });
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.flush();
  }

  #sample(callId: string | null): string | null {
    if (callId === null) return null;
    const [first] = this.#unclaimed.take(callId);
    return first === undefined ? null : readableText(first);
  }

  #add({ trace, leg }: Leg, message: SeenMessage): void {
    if (this.#waitingBytes > mostWaitingBytes) {
      trace.dropped += 1;
      this.dropped += 1;
      return;
    }
    const bytes = trace.addMessage(leg, message);
    if (bytes === 0) this.dropped += 1;
    this.#waitingBytes += bytes;
    this.#changed.add(trace);
  }

  #change(trace: RecordedTrace, call: TracedCall): void {
    trace.replace(call);
    for (const [index, { callId }] of call.attempts.entries()) this.#legs.set(callId, { trace, leg: index + 1 });
    if (call.state === 'ended') trace.endedAtMs ??= performance.now();
    this.#changed.add(trace);
  }

  async #write(): Promise<void> {
    if (this.#env.pool.ending) return;
    this.#forgetEnded(performance.now());
    try {
      await this.#writeRefusals();
      do await this.#writeBatch();
      while (this.#changed.size > 0);
    } catch (error) {
      if (!isUnavailable(error)) this.#env.log.warn({ err: error }, 'call traces could not be written');
    }
  }

  async #writeRefusals(): Promise<void> {
    const counts = this.#refusals.take();
    if (counts.length === 0) return;
    await planForgetting(this.#env)
      .then(() => writeRefusals(this.#env, counts))
      .catch((error: unknown) => {
        if (isUnavailable(error)) this.#refusals.putBack(counts);
        throw error;
      });
  }

  /** What could not be written before goes first, so that the entries of a call stay in order. */
  async #writeBatch(): Promise<void> {
    const batch = this.#unwritten.length > 0 ? [] : [...this.#changed].slice(0, batchSize);
    const rows = [...this.#unwritten, ...batch.map((trace) => this.#take(trace))];
    if (rows.length === 0) return;
    this.#unwritten = rows;
    try {
      await planForgetting(this.#env);
      await writeTraces(this.#env, rows);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      this.dropped += rows.reduce((sum, { entries }) => sum + (entries?.length ?? 0), 0);
      this.#unwritten = [];
      throw error;
    }
    this.#unwritten = [];
  }

  #take(trace: RecordedTrace): TraceRow {
    this.#changed.delete(trace);
    this.#waitingBytes -= trace.waitingBytes;
    return traceRow(trace, trace.take());
  }

  #forgetEnded(nowMs: number): void {
    for (const [id, trace] of this.#byCall) {
      if (trace.endedAtMs === null || nowMs - trace.endedAtMs < lingerMs) continue;
      this.#byCall.delete(id);
      this.#budget.release(trace.call.accountId);
      for (const callId of trace.legCallIds) this.#legs.delete(callId);
    }
  }
}
