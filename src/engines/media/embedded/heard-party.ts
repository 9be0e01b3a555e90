/** How one medium of a party is heard: figures, what was dropped, and how it went over time. */
import type { HeardMedia } from '../media-engine.ts';
import { HeardStream } from './heard-stream.ts';
import { estimateMos } from './mos.ts';

const coursePointMs = 5_000;
const mostCoursePoints = 720;
/** With fewer packets an estimate says nothing. */
const leastPackets = 50;

export class HeardParty {
  readonly stream = new HeardStream();
  readonly #dropped = new Map<string, number>();
  readonly #course: HeardMedia['course'][number][] = [];
  #elapsedMs = 0;
  #atLastPoint = { ms: 0, packets: 0, lost: 0 };
  /** Of the last packet of a voice, such as `pcmu/8000`. */
  codec: string | null = null;
  roundTripMs: number | null = null;

  drop(reason: string): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }

  /** Time has passed. */
  advance(ms: number): void {
    this.#elapsedMs += ms;
    if (this.#elapsedMs - this.#atLastPoint.ms >= coursePointMs) this.#addPoint();
  }

  figures(source: string | null, encryption: string): HeardMedia {
    const { packets, bytes, lost, jitterMs } = this.stream;
    return {
      packets,
      bytes,
      lost,
      jitterMs,
      roundTripMs: this.roundTripMs,
      mos: this.#mos(packets, lost),
      source,
      dropped: Object.fromEntries(this.#dropped),
      codec: this.codec?.split('/')[0]?.toUpperCase() ?? null,
      encryption,
      course: [...this.#course],
    };
  }

  #addPoint(): void {
    const { packets, lost, jitterMs } = this.stream;
    const { packets: packetsBefore, lost: lostBefore } = this.#atLastPoint;
    // A late packet of the time before takes back a loss that was counted there.
    const lostNow = Math.max(0, lost - lostBefore);
    const second = Math.round(this.#elapsedMs / 1000);
    const packetsNow = packets - packetsBefore;
    this.#course.push({ second, packets: packetsNow, lost: lostNow, jitterMs, mos: this.#mos(packetsNow, lostNow) });
    if (this.#course.length > mostCoursePoints) this.#course.shift();
    this.#atLastPoint = { ms: this.#elapsedMs, packets, lost };
  }

  #mos(packets: number, lost: number): number | null {
    if (packets < leastPackets) return null;
    const { jitterMs } = this.stream;
    const codec = this.codec?.split('/')[0] ?? null;
    return estimateMos({ codec, lost: lost / (packets + lost), jitterMs, roundTripMs: this.roundTripMs });
  }
}
