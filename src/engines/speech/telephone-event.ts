/** Digits of a telephone's keys as RTP events (RFC 4733). */

const keys = '0123456789*#ABCD';

interface TelephoneEvent {
  readonly key: string;
  readonly isEnd: boolean;
  /** In samples. */
  readonly duration: number;
}

/** Null for an event that is no key. */
export function readTelephoneEvent(payload: Uint8Array): TelephoneEvent | null {
  const [event = 255, flags = 0, high = 0, low = 0] = payload;
  const key = keys[event];
  if (payload.length < 4 || key === undefined) return null;
  return { key, isEnd: (flags & 0x80) !== 0, duration: (high << 8) | low };
}

const volume = 10;

export function formatTelephoneEvent({ key, isEnd, duration }: TelephoneEvent): Uint8Array {
  return Uint8Array.of(keys.indexOf(key), (isEnd ? 0x80 : 0) | volume, duration >> 8, duration & 0xff);
}

export function isKey(text: string): boolean {
  return text.length === 1 && keys.includes(text);
}
