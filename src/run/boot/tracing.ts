/** Sends spans to a collector by OTLP over HTTP (`TRUNKLINE_TRACES`). The library is loaded only then. */

import { turnOnTracing } from '../../engines/tracing.ts';
import type { Config } from '../config/types.ts';
import { within } from './closing.ts';

/** A collector that does not answer must not hold up a stop. */
const flushMs = 2_000;

/** Returns what sends the last spans. */
export async function startTracing({ traces }: Pick<Config, 'traces'>, version: string): Promise<() => Promise<void>> {
  if (traces.url === null) return async () => undefined;
  const [{ OTLPTraceExporter }, { resourceFromAttributes }, sdk, api] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/api'),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${traces.url.replace(/\/$/, '')}/v1/traces` });
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'trunkline', 'service.version': version }),
    // A client that traces its request decides itself; of the others this share is traced.
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(traces.share) }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  provider.register();
  turnOnTracing(api);
  return () => within(flushMs, provider.shutdown()).then(undefined, () => undefined);
}
