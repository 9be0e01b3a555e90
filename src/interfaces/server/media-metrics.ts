/** Metrics of the media engine of this process: its calls, ports, which of its parts are up, and who was refused. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { SipEndpoint } from '../../business/b2bua/endpoint.ts';

interface ServedCalls {
  endpoint: Pick<SipEndpoint, 'media' | 'mediaRefusals' | 'transcoded'> | null;
}

/** Nothing is shown where no calls are served, or media flow past this process. */
export function registerMedia(sip: ServedCalls, registers: Registry[]): void {
  const state = () => sip.endpoint?.media?.state() ?? null;
  const calls = new Gauge({
    name: 'trunkline_media_calls',
    help: 'Calls whose media pass through the engine of this process.',
    registers,
    collect: () => {
      calls.set(state()?.calls ?? 0);
    },
  });
  const transcoded = new Gauge({
    name: 'trunkline_media_transcoded_calls',
    help: 'Calls of this process whose media are transcoded now.',
    registers,
    collect: () => {
      transcoded.set(sip.endpoint?.transcoded.size ?? 0);
    },
  });
  const transcodedEver = new Counter({
    name: 'trunkline_media_transcoded_calls_total',
    help: 'Calls of this process whose media were transcoded.',
    registers,
    collect: () => {
      transcodedEver.reset();
      transcodedEver.inc(sip.endpoint?.transcoded.count ?? 0);
    },
  });
  const ports = new Gauge({
    name: 'trunkline_media_ports',
    help: 'UDP ports of TRUNKLINE_MEDIA_PORTS; a port that was freed rests for some seconds.',
    labelNames: ['state'],
    registers,
    collect: () => {
      ports.reset();
      const found = state()?.ports;
      if (!found) return;
      ports.set({ state: 'free' }, found.free);
      ports.set({ state: 'taken' }, found.all - found.free);
    },
  });
  const parts = new Gauge({
    name: 'trunkline_media_part_up',
    help: '1 for a thread of the media engine, or an rtpengine, that takes calls.',
    labelNames: ['part'],
    registers,
    collect: () => {
      parts.reset();
      for (const { name, isUp } of state()?.parts ?? []) parts.set({ part: name }, isUp ? 1 : 0);
    },
  });
  const refused = new Counter({
    name: 'trunkline_media_refused_total',
    help: 'Descriptions of calls that were refused: unavailable (503, no port or engine), description (488).',
    labelNames: ['why'],
    registers,
    collect: () => {
      refused.reset();
      for (const [why, count] of Object.entries(sip.endpoint?.mediaRefusals.counts ?? {})) refused.inc({ why }, count);
    },
  });
}
