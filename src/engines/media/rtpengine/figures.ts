/** What rtpengine tells about the packets of a party, in its answer to `query`. */
import type { HeardMedia } from '../media-engine.ts';
import { type Answer, dictionaryOf, listOf, numberOf, textOf } from './answers.ts';
import type { RtpengineLeg } from './leg.ts';

type Point = HeardMedia['course'][number];

const mostPoints = 720;

/** One direction of one pair of parties; several of them are added up where a party was joined with others before. */
export class Figures {
  #last: Omit<HeardMedia, 'course' | 'codec'> = { ...unheard };
  readonly #course: Point[] = [];

  get packets(): number {
    return this.#last.packets;
  }

  read(answer: Answer, leg: RtpengineLeg, second: number): void {
    const streams = streamsOf(answer, leg.tag);
    const heard = streams.filter(({ flags }) => listOf(flags).includes('RTP'));
    const sum = (name: string) => heard.reduce((all, { stats }) => all + numberOf(dictionaryOf(stats)[name]), 0);
    const [refused, taken] = [sum('errors'), sum('packets')];
    // It counts what it refuses with the rest, and does not tell why.
    const packets = Math.max(0, taken - refused);
    const reported = heard.map(({ SSRC }) => dictionaryOf(dictionaryOf(answer.SSRC)[String(numberOf(SSRC))]));
    const [report = {}] = reported;
    const average = dictionaryOf(report['average MOS']);
    const lost = Math.max(0, numberOf(report['cumulative loss']));
    const { lost: lostBefore, packets: packetsBefore } = this.#last;
    this.#last = {
      packets,
      bytes: sum('bytes'),
      lost,
      jitterMs: numberOf(average.jitter),
      roundTripMs: positive(numberOf(average['round-trip time leg']) / 1000),
      mos: positive(numberOf(average.MOS) / 10),
      source: packets === 0 ? null : sourceOf(heard),
      dropped: refused > 0 ? { refused } : {},
      encryption: encryptionOf(answer, leg.tag),
    };
    const { jitterMs, mos } = this.#last;
    const now = { packets: Math.max(0, packets - packetsBefore), lost: Math.max(0, lost - lostBefore) };
    this.#course.push({ second, ...now, jitterMs, mos });
    if (this.#course.length > mostPoints) this.#course.shift();
  }

  heard(leg: RtpengineLeg): HeardMedia {
    return { ...this.#last, codec: leg.codec, course: [...this.#course] };
  }
}

const unheard = {
  ...{ packets: 0, bytes: 0, lost: 0, jitterMs: 0, roundTripMs: null, mos: null, source: null },
  ...{ dropped: {}, encryption: 'disabled' },
};

const positive = (value: number): number | null => (value > 0 ? value : null);

const mediasOf = (answer: Answer, tag: string): Answer[] =>
  listOf(dictionaryOf(dictionaryOf(answer.tags)[tag]).medias).map(dictionaryOf);

const streamsOf = (answer: Answer, tag: string): Answer[] =>
  mediasOf(answer, tag).flatMap(({ streams }) => listOf(streams).map(dictionaryOf));

function sourceOf(streams: readonly Answer[]): string | null {
  const used = streams.find(({ stats }) => numberOf(dictionaryOf(stats).packets) > 0);
  const { address, port } = dictionaryOf(used?.endpoint);
  const host = textOf(address);
  if (host === '') return null;
  return host.includes(':') ? `[${host}]:${numberOf(port)}` : `${host}:${numberOf(port)}`;
}

function encryptionOf(answer: Answer, tag: string): string {
  const protocol = textOf(mediasOf(answer, tag)[0]?.protocol);
  if (!/SAVPF?$/.test(protocol)) return 'disabled';
  return protocol.includes('TLS') ? 'srtp_dtls' : 'srtp_sdes';
}

/** Of a party that was joined with one other after another: packets are added up, the last one tells the rest. */
export function added(all: readonly HeardMedia[]): HeardMedia {
  const [last = { ...unheard, codec: null, course: [] }] = all.slice(-1);
  const sum = (of: (one: HeardMedia) => number) => all.reduce((total, one) => total + of(one), 0);
  const refused = sum(({ dropped }) => dropped.refused ?? 0);
  return {
    ...last,
    packets: sum(({ packets }) => packets),
    bytes: sum(({ bytes }) => bytes),
    lost: sum(({ lost }) => lost),
    mos: last.mos ?? all.findLast(({ mos }) => mos !== null)?.mos ?? null,
    source: last.source ?? all.findLast(({ source }) => source !== null)?.source ?? null,
    dropped: refused > 0 ? { refused } : {},
    course: all.flatMap(({ course }) => course).slice(-mostPoints),
  };
}
