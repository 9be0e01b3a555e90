/** What the phone reports, one event a line: as JSON for scripts, or as text. */

export type PhoneEvent =
  | { event: 'ready'; contact: string }
  | { event: 'registered'; user: string; expires: number }
  | { event: 'registration_failed'; status: number; reason: string }
  | { event: 'incoming'; from: string; to: string }
  | { event: 'calling'; to: string }
  | { event: 'progress'; status: number; reason: string }
  | { event: 'answered'; codec: string }
  | { event: 'key'; key: string }
  | { event: 'held' | 'resumed'; by: 'phone' | 'peer' }
  | { event: 'hearing'; seconds: number; level_db: number | null; tone_hz: number | null }
  /** The call was not answered. `why` is the text of the Reason header, if the response has one. */
  | { event: 'failed'; status: number; reason: string; why: string | null }
  | { event: 'cancelled' }
  | { event: 'ended'; cause: string; seconds: number; packets: number; heard_seconds: number }
  | { event: 'recorded'; file: string; seconds: number };

export type Report = (event: PhoneEvent) => void;

/** `seconds` since the phone was started. */
export function jsonLine(event: PhoneEvent, seconds: number): string {
  return JSON.stringify({ at: Number(seconds.toFixed(3)), ...event });
}

export function textLine(event: PhoneEvent, seconds: number): string {
  return `${seconds.toFixed(1).padStart(7)} s  ${sentence(event)}`;
}

function sentence(event: PhoneEvent): string {
  switch (event.event) {
    case 'ready':
      return `ready at ${event.contact}`;
    case 'registered':
      return `registered as ${event.user} for ${event.expires} s`;
    case 'registration_failed':
      return `not registered: ${event.status} ${event.reason}`;
    case 'incoming':
      return `call from ${event.from} to ${event.to}`;
    case 'calling':
      return `calling ${event.to}`;
    case 'progress':
      return `${event.status} ${event.reason}`;
    case 'answered':
      return `answered, ${event.codec}`;
    case 'key':
      return `key ${event.key}`;
    case 'held':
    case 'resumed':
      return `${event.event} by the ${event.by}`;
    case 'hearing':
      return `hears ${heard(event.level_db, event.tone_hz)}`;
    case 'failed':
      return `not answered: ${event.status} ${event.reason}${event.why === null ? '' : ` (${event.why})`}`;
    case 'cancelled':
      return 'the caller gave up';
    case 'ended':
      return `ended (${event.cause}) after ${event.seconds} s, heard ${event.heard_seconds} s in ${event.packets} packets`;
    case 'recorded':
      return `recorded ${event.seconds} s to ${event.file}`;
  }
}

function heard(level: number | null, tone: number | null): string {
  if (level === null) return 'silence';
  return tone === null ? `audio at ${level} dB` : `a tone of ${tone} Hz at ${level} dB`;
}
