/**
 * Requests and responses. Values that every layer needs are parsed when first asked for and kept as long as the header
 * stays.
 */
import { HeaderList } from './header-list.ts';
import { type NameAddress, parseNameAddress } from './name-address.ts';
import { parameter } from './parameters.ts';
import { badRequest, type SipError } from './sip-error.ts';
import { cleanText, isToken, parseDigits } from './text.ts';
import { parseVia, type Via } from './via.ts';

interface CSeq {
  number: number;
  method: string;
}

const noBody = Buffer.alloc(0);

abstract class Message {
  /** What was wrong with its header lines as they came. */
  damage: SipError | null = null;
  readonly headers: HeaderList;
  body: Buffer;
  readonly #via = new Parsed(parseVia);
  readonly #from = new Parsed(parseNameAddress);
  readonly #to = new Parsed(parseNameAddress);
  readonly #cseq = new Parsed(parseCSeq);

  constructor(headers: HeaderList, body: Buffer) {
    this.headers = headers;
    this.body = body;
  }

  /** The topmost Via: of a request, its sender; of a response, whoever sent the request. */
  get via(): Via {
    return this.#via.of(this.headers.firstOfList('Via'), 'Via');
  }

  get from(): NameAddress {
    return this.#from.of(this.headers.first('From'), 'From');
  }

  get to(): NameAddress {
    return this.#to.of(this.headers.first('To'), 'To');
  }

  get cseq(): CSeq {
    return this.#cseq.of(this.headers.first('CSeq'), 'CSeq');
  }

  get callId(): string {
    return this.headers.first('Call-ID') ?? '';
  }

  /** Empty for peers of RFC 2543. */
  get fromTag(): string {
    return parameter(this.from.parameters, 'tag') ?? '';
  }

  /** Empty outside of a dialog. */
  get toTag(): string {
    return parameter(this.to.parameters, 'tag') ?? '';
  }

  setBody(contentType: string, body: Buffer): void {
    this.headers.set('Content-Type', contentType);
    this.body = body;
  }
}

export class SipRequest extends Message {
  readonly isRequest = true;
  readonly method: string;
  /** The Request-URI as written. */
  uri: string;
  /** `2.0`; another one is refused with 505. */
  readonly version: string;

  constructor(method: string, uri: string, headers = new HeaderList(), body: Buffer = noBody, version = '2.0') {
    super(headers, body);
    this.method = method;
    this.uri = uri;
    this.version = version;
  }
}

export class SipResponse extends Message {
  readonly isRequest = false;
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, headers = new HeaderList(), body: Buffer = noBody) {
    super(headers, body);
    this.status = status;
    this.reason = cleanText(reason);
  }
}

export type SipMessage = SipRequest | SipResponse;

/** The parsed form of one header, kept until its text changes. */
class Parsed<Value> {
  readonly #parse: (text: string) => Value;
  #text: string | undefined;
  #value: Value | undefined;

  constructor(parse: (text: string) => Value) {
    this.#parse = parse;
  }

  of(text: string | undefined, name: string): Value {
    if (text === undefined) throw badRequest(`Missing ${name}`);
    if (this.#value === undefined || this.#text !== text) {
      this.#value = this.#parse(text);
      this.#text = text;
    }
    return this.#value;
  }
}

function parseCSeq(text: string): CSeq {
  const [digits = '', method = '', ...rest] = text.trim().split(/[ \t]+/);
  const number = parseDigits(digits, 10);
  if (number === null || number > 0xffff_ffff || rest.length > 0 || !isToken(method))
    throw badRequest('Malformed CSeq');
  return { number, method };
}
