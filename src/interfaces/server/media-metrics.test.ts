/** What `/metrics` says of the media engine. */
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { MediaRefusals } from '../../business/b2bua/media-refusals.ts';
import { TranscodedCalls } from '../../business/b2bua/transcoded-calls.ts';
import { EmbeddedEngine } from '../../engines/media/embedded/embedded-engine.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import { registerMedia } from './media-metrics.ts';

const log = pino({ level: 'silent' });

async function shownOf(sip: Parameters<typeof registerMedia>[0]): Promise<string[]> {
  const registry = new Registry();
  registerMedia(sip, [registry]);
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('calls, ports, parts, and calls that were refused, by why', async () => {
  const ports = { from: 20_000, to: 20_007 };
  const settings = { ports, addresses: ['127.0.0.1'], threads: 2, timers: machineTimers, log: () => undefined };
  const media = new EmbeddedEngine(settings);
  const mediaRefusals = new MediaRefusals(log, machineTimers);
  mediaRefusals.add({ code: 503, reason: 'All media ports are in use.' });
  mediaRefusals.add({ code: 503, reason: 'All media ports are in use.' });
  mediaRefusals.add({ code: 488, reason: 'Not the same encryption' });
  const transcoded = new TranscodedCalls(8);
  for (const id of ['1', '2', '3']) transcoded.take(id, 'an account');
  transcoded.release('1');
  expect(await shownOf({ endpoint: { media, mediaRefusals, transcoded } })).toEqual([
    'trunkline_media_calls 0',
    'trunkline_media_transcoded_calls 1',
    'trunkline_media_transcoded_calls_total 2',
    'trunkline_media_ports{state="free"} 8',
    'trunkline_media_ports{state="taken"} 0',
    'trunkline_media_part_up{part="thread 1"} 1',
    'trunkline_media_part_up{part="thread 2"} 1',
    'trunkline_media_refused_total{why="unavailable"} 2',
    'trunkline_media_refused_total{why="description"} 1',
  ]);
});

test('where media flow past there is nothing to show', async () => {
  const mediaRefusals = new MediaRefusals(log, machineTimers);
  const shown = await shownOf({ endpoint: { media: null, mediaRefusals, transcoded: new TranscodedCalls(0) } });
  expect(shown.filter((line) => /ports|part/.test(line))).toEqual([]);
  expect(await shownOf({ endpoint: null })).toEqual([
    'trunkline_media_calls 0',
    'trunkline_media_transcoded_calls 0',
    'trunkline_media_transcoded_calls_total 0',
  ]);
});
