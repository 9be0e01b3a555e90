/** Metrics of how calls sounded: packets of each side, what was lost and dropped of them, and what a listener says. */
import { Counter, type Registry } from 'prom-client';
import type { SipEndpoint, WithSip } from '../../business/b2bua/endpoint.ts';

type Sound = ReturnType<SipEndpoint['sounds']['all']> extends Iterable<infer One> ? One : never;

const labels = ['direction', 'side'];

export function registerSounds(sip: WithSip['sip'], registers: Registry[]): void {
  const counter = (
    name: string,
    help: string,
    more: string[],
    add: (sound: Sound['sound'], inc: (count: number, ...values: string[]) => void) => void,
  ) => {
    const counted = new Counter({
      ...{ name, help, registers },
      labelNames: [...labels, ...more],
      collect: () => {
        counted.reset();
        for (const { direction, side, sound } of sip.endpoint?.sounds.all() ?? [])
          add(sound, (count, ...values) => counted.labels(direction, side, ...values).inc(count));
      },
    });
  };
  counter('trunkline_media_packets_total', 'RTP packets of sides of ended calls.', [], ({ packets }, inc) =>
    inc(packets),
  );
  counter('trunkline_media_lost_packets_total', 'RTP packets of them that did not come.', [], ({ lost }, inc) =>
    inc(lost),
  );
  counter(
    'trunkline_media_dropped_packets_total',
    'Packets of them that did not count, by why.',
    ['reason'],
    ({ dropped }, inc) => {
      for (const [reason, packets] of dropped) inc(packets, reason);
    },
  );
  counter(
    'trunkline_call_sides_total',
    'Sides of answered calls by how they sounded: good (MOS 4), fair (3.6), poor, short, silent.',
    ['sound'],
    ({ heard }, inc) => {
      for (const [sound, sides] of heard) inc(sides, sound);
    },
  );
}
