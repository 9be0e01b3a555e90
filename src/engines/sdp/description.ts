/**
 * A session description (RFC 8866) as its lines: those of the session, and those of each medium. What is not changed is
 * written as it was read, byte for byte. By hand: sdp-transform writes a description anew, and lines that nobody
 * changes stay as they came.
 */

/** A media section: its `m=` line in parts, and the lines that follow it. */
export interface Media {
  kind: string;
  /** `0` for a medium that is refused; a number of ports may follow it. */
  port: string;
  protocol: string;
  formats: string[];
  lines: string[];
}

export interface Description {
  session: string[];
  media: Media[];
}

/** Never throws; an `m=` line that cannot be read is a line like others. */
export function parseDescription(body: Buffer): Description {
  const description: Description = { session: [], media: [] };
  for (const line of body.toString('latin1').split(/\r?\n/)) {
    if (line === '') continue;
    const [, kind, port, protocol, formats] = /^m=(\S+) (\S+) (\S+)(.*)$/.exec(line) ?? [];
    if (kind !== undefined && port !== undefined && protocol !== undefined) {
      description.media.push({ kind, port, protocol, formats: (formats ?? '').trim().split(/ +/), lines: [] });
    } else (description.media.at(-1)?.lines ?? description.session).push(line);
  }
  return description;
}

export function formatDescription({ session, media }: Description): Buffer {
  const lines = media.flatMap((one) => [mediaLine(one), ...one.lines]);
  return Buffer.from(`${[...session, ...lines].join('\r\n')}\r\n`, 'latin1');
}

export function mediaLine({ kind, port, protocol, formats }: Media): string {
  return `m=${kind} ${port} ${protocol} ${formats.join(' ')}`;
}

/** The address that a `c=` line among them names. */
export function connectionAddress(lines: readonly string[]): string | undefined {
  return lines.map((line) => /^c=IN IP[46] ([^/\s]+)/.exec(line)?.[1]).find((address) => address !== undefined);
}

export type MediaDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

const directions: readonly MediaDirection[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];

/** The direction that a line stands for; undefined for other lines. */
export function asDirection(line: string): MediaDirection | undefined {
  return directions.find((direction) => line.trim() === `a=${direction}`);
}

/** As its sender sees it: of the medium, else of the session, else both ways. */
export function directionOf(session: readonly string[], media: Media): MediaDirection {
  const first = (lines: readonly string[]) => lines.map(asDirection).find((direction) => direction !== undefined);
  return first(media.lines) ?? first(session) ?? 'sendrecv';
}

/** Payload types that need no `rtpmap` (RFC 3551). */
const staticPayloads: Readonly<Record<string, string>> = {
  ...{ 0: 'pcmu/8000', 2: 'g726-32/8000', 3: 'gsm/8000', 4: 'g723/8000', 8: 'pcma/8000', 9: 'g722/8000' },
  ...{ 10: 'l16/44100', 11: 'l16/44100', 18: 'g729/8000' },
};

/** `name/clock` in lower case, with the number of channels where it is given; empty for an unknown payload type. */
export function codecOf(media: Media, payload: string): string {
  const line = media.lines.find((one) => one.startsWith(`a=rtpmap:${payload} `));
  return (
    line
      ?.slice(line.indexOf(' ') + 1)
      .trim()
      .toLowerCase() ??
    staticPayloads[payload] ??
    ''
  );
}
