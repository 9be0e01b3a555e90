/**
 * Payload types of packets on their way from one party to another. A party sends with the numbers that it was told, or,
 * as many phones do, with its own; the other takes what it has described. A codec may so have two numbers.
 */
import { codecOf, type Media } from '../../sdp/description.ts';

/** For a payload type that nobody has agreed on: its packets are dropped. */
export const unknownPayload = 255;

const telephoneEvent = /^telephone-event\//;

interface Payloads {
  /** Payload type as it comes → as it goes on, or `unknownPayload`. */
  readonly target: Uint8Array;
  /** Payload type as it comes → its clock; 0 where timestamps are not those of the packet. */
  readonly clock: Uint32Array;
  /** 1 for payload types that are key presses. */
  readonly isEvent: Uint8Array;
  /** Payload type as it comes → `name/clock`. */
  readonly codecs: ReadonlyMap<number, string>;
}

/** From the party that has described `own` to the other. */
export function mapPayloads(own: Media, other: Media): Payloads {
  const target = new Uint8Array(128).fill(unknownPayload);
  const clock = new Uint32Array(128).fill(8_000);
  const isEvent = new Uint8Array(128);
  const codecs = new Map<number, string>();
  const taken = codecsOf(other);
  // The other's numbers come last: the sender was told them, and should go by them.
  for (const [payload, codec] of [...codecsOf(own), ...taken]) {
    const number = taken.get(payload) === codec ? payload : [...taken].find(([, same]) => same === codec)?.[0];
    if (number === undefined) continue;
    target[payload] = number;
    codecs.set(payload, codec);
    isEvent[payload] = telephoneEvent.test(codec) ? 1 : 0;
    clock[payload] = isEvent[payload] ? 0 : clockOf(codec);
  }
  return { target, clock, isEvent, codecs };
}

export interface EventPayload {
  payload: number;
  clock: number;
}

/** With which payload type a party takes key presses; the one whose clock its first codec has comes first. */
export function eventPayload(receiver: Media): EventPayload | null {
  const codecs = [...codecsOf(receiver)];
  const audioClock = codecs.map(([, codec]) => codec).find((codec) => !telephoneEvent.test(codec));
  const events = codecs
    .filter(([, codec]) => telephoneEvent.test(codec))
    .map(([payload, codec]) => ({ payload, clock: clockOf(codec) }));
  return events.find(({ clock }) => audioClock !== undefined && clock === clockOf(audioClock)) ?? events[0] ?? null;
}

/** Payload types without a name stand for themselves: both sides may know what they mean. */
function codecsOf(media: Media): Map<number, string> {
  return new Map(media.formats.map((format) => [Number(format), codecOf(media, format) || `unnamed-${format}`]));
}

/** G.722 has 16,000 samples a second and says 8,000, which is also what its timestamps count. */
function clockOf(codec: string): number {
  const clock = Number(codec.split('/')[1]);
  return Number.isInteger(clock) && clock >= 1_000 && clock <= 1_000_000 ? clock : 8_000;
}
