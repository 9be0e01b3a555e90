/** Records of DTLS (RFC 6347, 4.1): what a datagram consists of. */
import { version10, version12 } from './constants.ts';

export interface DtlsRecord {
  readonly type: number;
  readonly epoch: number;
  /** 48 bits. */
  readonly sequence: number;
  readonly fragment: Buffer;
}

const headerBytes = 13;

/** Those before the first that is damaged; the rest is dropped, as if it had been lost. */
export function readRecords(datagram: Buffer): DtlsRecord[] {
  const records: DtlsRecord[] = [];
  for (let at = 0; at + headerBytes <= datagram.length; ) {
    const version = datagram.readUInt16BE(at + 1);
    const end = at + headerBytes + datagram.readUInt16BE(at + 11);
    if ((version !== version12 && version !== version10) || end > datagram.length) break;
    records.push({
      type: datagram.readUInt8(at),
      epoch: datagram.readUInt16BE(at + 3),
      sequence: datagram.readUIntBE(at + 5, 6),
      fragment: datagram.subarray(at + headerBytes, end),
    });
    at = end;
  }
  return records;
}

export function writeRecord({ type, epoch, sequence, fragment }: DtlsRecord): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(type, 0);
  header.writeUInt16BE(version12, 1);
  header.writeUInt16BE(epoch, 3);
  header.writeUIntBE(sequence, 5, 6);
  header.writeUInt16BE(fragment.length, 11);
  return Buffer.concat([header, fragment]);
}
