/**
 * Spans of OpenTelemetry around requests, statements, jobs and outgoing requests. Until src/boot/tracing.ts has said where
 * they go, nothing is measured and nothing is kept.
 */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

const tracer = trace.getTracer('trunkline');
let isOn = false;

/** Called once, when the library knows where spans go. */
export function turnOnTracing(): void {
  isOn = true;
}

export const isTracing = (): boolean => isOn;

export type WorkKind = 'request' | 'statement' | 'job' | 'outgoing request';

const kinds: Record<WorkKind, SpanKind> = {
  request: SpanKind.SERVER,
  statement: SpanKind.CLIENT,
  job: SpanKind.CONSUMER,
  'outgoing request': SpanKind.CLIENT,
};

/** Runs the work inside a span of its own, which ends with it. */
export async function inSpan<T>(
  kind: WorkKind,
  name: string,
  attributes: Attributes,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (!isOn) return work(null);
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes });
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(span));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** A request of a client, as a part of the client's own trace if its headers name one. */
export function requestSpan(headers: object, name: string, attributes: Attributes): { span: Span; inside: Context } {
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan(name, { kind: kinds.request, attributes }, parent);
  return { span, inside: trace.setSpan(parent, span) };
}

export const runInside = (inside: Context, work: () => void): void => context.with(inside, work);

/** The headers that tell a receiver which trace a request belongs to. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isOn) propagation.inject(context.active(), headers);
  return headers;
}
