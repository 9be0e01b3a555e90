/**
 * Bodies of the SMPP requests that are sent or received: bind_transceiver, submit_sm, deliver_sm and the receipt in it.
 */
import { SmppProtocolError } from './pdu.ts';

export interface BindFields {
  systemId: string;
  password: string;
  systemType: string;
}

interface SmppAddress {
  ton: number;
  npi: number;
  digits: string;
}

interface SubmitFields {
  source: SmppAddress;
  destination: string;
  dataCoding: number;
  /** The message begins with a user data header. */
  hasHeader: boolean;
  message: Buffer;
  /** Minutes after which the network stops trying. */
  validityMinutes: number;
}

export interface Delivery {
  source: string;
  destination: string;
  esmClass: number;
  dataCoding: number;
  message: Buffer;
  tlvs: Map<number, Buffer>;
}

const internationalTon = 1;
const isdnNpi = 1;

export function bindBody({ systemId, password, systemType }: BindFields): Buffer {
  const interfaceVersion = 0x34;
  return Buffer.concat([
    cString(systemId, 15),
    cString(password, 8),
    cString(systemType, 12),
    Buffer.from([interfaceVersion, 0, 0, 0]),
  ]);
}

export function submitBody(fields: SubmitFields): Buffer {
  const esmClass = fields.hasHeader ? 0x40 : 0;
  const receiptWanted = 1;
  return Buffer.concat([
    cString('', 5),
    Buffer.from([fields.source.ton, fields.source.npi]),
    cString(fields.source.digits, 20),
    Buffer.from([internationalTon, isdnNpi]),
    cString(fields.destination, 20),
    Buffer.from([esmClass, 0, 0]),
    cString('', 16),
    cString(relativeTime(fields.validityMinutes), 16),
    Buffer.from([receiptWanted, 0, fields.dataCoding, 0, fields.message.length]),
    fields.message,
  ]);
}

/** The sender as SMPP types it: a word is alphanumeric, a few digits a short code, else an international number. */
export function sourceAddress(sender: string): SmppAddress {
  if (!/^\+?\d+$/.test(sender)) return { ton: 5, npi: 0, digits: sender.slice(0, 11) };
  const digits = sender.replace('+', '');
  return digits.length <= 8 ? { ton: 3, npi: 0, digits } : { ton: internationalTon, npi: isdnNpi, digits };
}

/** The one field of submit_sm_resp and bind responses. */
export function readIdentifier(body: Buffer): string {
  const end = body.indexOf(0);
  return body.toString('latin1', 0, end === -1 ? body.length : end);
}

export function readDelivery(body: Buffer): Delivery {
  const reader = new FieldReader(body);
  reader.text(); // service_type
  reader.skip(2);
  const source = reader.text();
  reader.skip(2);
  const destination = reader.text();
  const esmClass = reader.octet();
  reader.skip(2);
  reader.text(); // schedule_delivery_time
  reader.text(); // validity_period
  reader.skip(2);
  const dataCoding = reader.octet();
  reader.skip(1);
  const message = reader.bytes(reader.octet());
  return { source, destination, esmClass, dataCoding, message, tlvs: reader.tlvs() };
}

class FieldReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end === -1) throw new SmppProtocolError('a text field has no end');
    const text = this.#body.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  octet(): number {
    return this.bytes(1).readUInt8(0);
  }

  skip(count: number): void {
    this.bytes(count);
  }

  bytes(count: number): Buffer {
    if (this.#at + count > this.#body.length) throw new SmppProtocolError('a PDU ends in the middle of a field');
    this.#at += count;
    return this.#body.subarray(this.#at - count, this.#at);
  }

  tlvs(): Map<number, Buffer> {
    const found = new Map<number, Buffer>();
    while (this.#at + 4 <= this.#body.length) {
      const head = this.bytes(4);
      found.set(head.readUInt16BE(0), this.bytes(head.readUInt16BE(2)));
    }
    return found;
  }
}

function cString(text: string, longest: number): Buffer {
  if (text.length > longest || text.includes('\0'))
    throw new SmppProtocolError(`a text field is longer than ${longest}`);
  return Buffer.from(`${text}\0`, 'latin1');
}

/** SMPP's relative time: YYMMDDhhmmsstnnR with everything but hours and minutes zero. */
function relativeTime(minutes: number): string {
  const hh = String(Math.floor(minutes / 60)).padStart(2, '0');
  const mm = String(minutes % 60).padStart(2, '0');
  return `000000${hh}${mm}00000R`;
}

/** Delivery receipt: what a network reports later about a message it took. */
export interface Receipt {
  messageId: string;
  state: ReceiptState;
}

type ReceiptState = 'delivered' | 'failed' | 'underway';

const receiptedMessageIdTag = 0x001e;
const messageStateTag = 0x0427;

/** Null for a deliver_sm that is a message from a handset and no receipt. */
export function readReceipt({ esmClass, message, tlvs }: Delivery): Receipt | null {
  if ((esmClass & 0x3c) !== 0x04) return null;
  const text = message.toString('latin1');
  const messageId = textOf(tlvs.get(receiptedMessageIdTag)) ?? /\bid:\s*(\S+)/i.exec(text)?.[1];
  if (messageId === undefined) return null;
  const number = tlvs.get(messageStateTag)?.[0];
  const word = /\bstat:\s*([A-Z]+)/i.exec(text)?.[1]?.toUpperCase();
  return {
    messageId,
    state: (number === undefined ? undefined : stateByNumber[number]) ?? stateByWord[word ?? ''] ?? 'underway',
  };
}

const stateByNumber: Readonly<Record<number, ReceiptState>> = {
  1: 'underway',
  2: 'delivered',
  3: 'failed',
  4: 'failed',
  5: 'failed',
  6: 'underway',
  7: 'underway',
  8: 'failed',
};

const stateByWord: Readonly<Record<string, ReceiptState>> = {
  DELIVRD: 'delivered',
  EXPIRED: 'failed',
  DELETED: 'failed',
  UNDELIV: 'failed',
  REJECTD: 'failed',
};

function textOf(octets: Buffer | undefined): string | undefined {
  return octets?.toString('latin1').replace(/\0.*$/s, '');
}
