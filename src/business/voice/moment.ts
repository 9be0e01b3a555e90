/** A Date with microseconds, for call events and CDRs. Other code may use it as an ordinary Date. */
import type { Clock } from '../../base/clock.ts';

export class Moment extends Date {
  /** Microseconds since 1970. */
  readonly microseconds: number;
  #text: string | null = null;

  constructor(microseconds: number) {
    super(Math.floor(microseconds / 1000));
    this.microseconds = microseconds;
  }

  /** Milliseconds with a fraction, so that two moments of one millisecond compare correctly. */
  override valueOf(): number {
    return this.microseconds / 1000;
  }

  /** ISO 8601 with six digits, as the database stores it. */
  override toJSON(): string {
    return `${this.sixDigits}Z`;
  }

  /** Without a zone. Each time of a call is written into its row, its events and its CDR. */
  get sixDigits(): string {
    this.#text ??= withMicroseconds(this, this.microseconds);
    return this.#text;
  }
}

/** The current time, as precise as the clock is. */
export const momentOf = (clock: Clock): Moment => new Moment(clock.microseconds?.() ?? clock.now().getTime() * 1000);

/** This many seconds later, precise to the microsecond. */
export const later = (at: Date, seconds: number): Moment => new Moment(microsecondsOf(at) + Math.round(seconds * 1e6));

/** Parses a moment from JSON text. */
export function readMoment(text: string): Moment {
  const fraction = /\.\d{3}(\d{3})Z$/.exec(text)?.[1] ?? '0';
  return new Moment(new Date(text).getTime() * 1000 + Number(fraction));
}

/** ISO 8601 with microseconds and offset: `2020-03-05T11:05:33.879559+00:00`. */
export const timestamp = (at: Date): string => `${sixDigits(at)}+00:00`;

export const timestampOrNull = (at: Date | null): string | null => (at === null ? null : timestamp(at));

const microsecondsOf = (at: Date): number => (at instanceof Moment ? at.microseconds : at.getTime() * 1000);

const sixDigits = (at: Date): string =>
  at instanceof Moment ? at.sixDigits : withMicroseconds(at, at.getTime() * 1000);

const withMicroseconds = (at: Date, microseconds: number): string =>
  `${at.toISOString().slice(0, -1)}${String(microseconds % 1000).padStart(3, '0')}`;
