/**
 * Spans of OpenTelemetry around requests, statements, jobs and outgoing requests. Until src/run/boot/tracing.ts has
 * said where they go, nothing is measured and nothing is kept.
 */
import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';

type Library = typeof import('@opentelemetry/api');

/** Null without a collector: its 44 modules are not loaded then. */
let library: Library | null = null;

/** Called once, when the library knows where spans go. */
export function turnOnTracing(loaded: Library): void {
  library = loaded;
}

export const isTracing = (): boolean => library !== null;

type WorkKind = 'request' | 'statement' | 'job' | 'outgoing request';

const kinds: Record<WorkKind, keyof typeof SpanKind> = {
  request: 'SERVER',
  statement: 'CLIENT',
  job: 'CONSUMER',
  'outgoing request': 'CLIENT',
};

function startSpan(
  { trace, SpanKind }: Library,
  kind: WorkKind,
  name: string,
  attributes: Attributes,
  parent?: Context,
) {
  return trace.getTracer('trunkline').startSpan(name, { kind: SpanKind[kinds[kind]], attributes }, parent);
}

/** Runs the work inside a span of its own, which ends with it. A statement has one only inside a request or a job. */
export async function inSpan<T>(
  kind: WorkKind,
  name: string,
  attributes: Attributes,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (library === null) return work(null);
  const { context, trace } = library;
  // What the server asks for itself, many times a minute: due work, heartbeats, partitions.
  if (kind === 'statement' && trace.getActiveSpan() === undefined) return work(null);
  const span = startSpan(library, kind, name, attributes);
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(span));
  } catch (error) {
    markFailed(span, error instanceof Error ? error.name : 'error');
    throw error;
  } finally {
    span.end();
  }
}

export function markFailed(span: Span, message?: string): void {
  if (library !== null)
    span.setStatus({ code: library.SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
}

export interface RequestSpan {
  readonly span: Span;
  /** Runs what belongs to the request inside of its span. */
  run(work: () => void): void;
}

/** A request of a client, as a part of the client's own trace if its headers name one. Null without a collector. */
export function requestSpan(headers: object, name: string, attributes: Attributes): RequestSpan | null {
  if (library === null) return null;
  const { context, propagation, ROOT_CONTEXT, trace } = library;
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const span = startSpan(library, 'request', name, attributes, parent);
  const inside = trace.setSpan(parent, span);
  return { span, run: (work) => context.with(inside, work) };
}

/** The headers that tell a receiver which trace a request belongs to. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (library !== null) library.propagation.inject(library.context.active(), headers);
  return headers;
}
