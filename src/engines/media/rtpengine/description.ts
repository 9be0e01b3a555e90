/** What is read of session descriptions on their way through rtpengine, and the line that is written here. */
import {
  codecOf as codecOfMedia,
  connectionAddress,
  type Description,
  directionOf,
  type Media,
  parseDescription,
} from '../../sdp/description.ts';

/** What a party described. */
export class Described {
  /** Each byte as a character, as it goes to rtpengine. */
  readonly text: string;
  readonly #parsed: Description;

  constructor(body: Buffer) {
    this.text = body.toString('latin1');
    this.#parsed = parseDescription(body);
  }

  /** Whether its sender speaks and listens: not while it holds, is held or has refused its media. */
  get isOpen(): boolean {
    const { session, media } = this.#parsed;
    return media.some((one) => one.port !== '0' && directionOf(session, one) === 'sendrecv');
  }

  get takesTelephoneEvents(): boolean {
    const { media } = this.#parsed;
    return media.some((one) => one.formats.some((payload) => codecOfMedia(one, payload).startsWith('telephone-event')));
  }

  /** Of its first medium, such as `RTP/SAVP`. */
  get protocol(): string {
    return this.#parsed.media[0]?.protocol ?? 'RTP/AVP';
  }

  has(attribute: string): boolean {
    const { session, media } = this.#parsed;
    const isIt = (line: string) => line.startsWith(`a=${attribute}`);
    return session.some(isIt) || media.some(({ lines }) => lines.some(isIt));
  }

  /** How a browser calls its medium at this place. */
  midAt(at: number): string | undefined {
    const line = this.#parsed.media[at]?.lines.find((one) => one.startsWith('a=mid:'));
    return line?.slice('a=mid:'.length).trim();
  }

  get addressFamily(): 'IP4' | 'IP6' {
    const { session, media } = this.#parsed;
    const address = media.map(({ lines }) => connectionAddress(lines)).find((one) => one) ?? connectionAddress(session);
    return address?.includes(':') ? 'IP6' : 'IP4';
  }

  /** Of its audio that is not refused, as it writes them; without telephone events and comfort noise. */
  get codecs(): string[] {
    const audio = this.#parsed.media.filter(({ kind, port }) => kind === 'audio' && port !== '0');
    const names = audio.flatMap((one) => one.formats.map((payload) => nameOf(one, payload)));
    return names.filter((name) => name !== '' && !/^(telephone-event|CN)$/i.test(name));
  }

  /** The first one of its audio: of an answer the one that is used. */
  get codec(): string | null {
    const audio = this.#parsed.media.find(({ kind }) => kind === 'audio');
    const codec = audio && codecOfMedia(audio, audio.formats[0] ?? '');
    return codec ? (codec.split('/')[0] ?? '').toUpperCase() : null;
  }
}

/** As it is written, since rtpengine minds the case of names. */
function nameOf(media: Media, payload: string): string {
  const line = media.lines.find((one) => one.startsWith(`a=rtpmap:${payload} `));
  const written = line?.split(' ')[1] ?? codecOfMedia(media, payload).toUpperCase();
  return written.split('/')[0] ?? '';
}

/**
 * Each party sees one session from its first to its last description (RFC 3264 8), whoever has described it: with one
 * id, and a version that rises when something has changed.
 */
export class Origin {
  readonly #id: string;
  #version = 0;
  #last = '';

  constructor(id: string) {
    this.#id = id;
  }

  write(sdp: string): Buffer {
    const body = sdp.replace(/^o=.*\r?\n/m, '');
    if (body !== this.#last) this.#version += 1;
    this.#last = body;
    return Buffer.from(sdp.replace(/^o=\S+ \S+ \S+ /m, `o=- ${this.#id} ${this.#version} `), 'latin1');
  }
}
