/** Numbers, encrypts and packs records of one association, and opens those of the peer. */
import { type DtlsRecord, writeRecord } from './record.ts';
import { openRecord, type RecordKey, sealRecord } from './record-cipher.ts';

export interface Outgoing {
  readonly type: number;
  /** 1 is encrypted. */
  readonly epoch: 0 | 1;
  readonly bytes: Buffer;
}

/** Fits into every path, with room for tunnels. */
const datagramBytes = 1_200;

export class RecordLayer {
  #keys: { sending: RecordKey; receiving: RecordKey } | null = null;
  readonly #sent: [number, number] = [0, 0];

  useKeys(sending: RecordKey, receiving: RecordKey): void {
    this.#keys = { sending, receiving };
  }

  /** As few datagrams as possible. Whoever sends the same again gets records with new numbers. */
  pack(outgoing: readonly Outgoing[]): Buffer[] {
    const datagrams: Buffer[][] = [[]];
    let bytes = 0;
    for (const one of outgoing) {
      const record = writeRecord(this.#number(one));
      if (bytes > 0 && bytes + record.length > datagramBytes) {
        datagrams.push([]);
        bytes = 0;
      }
      datagrams.at(-1)?.push(record);
      bytes += record.length;
    }
    return datagrams.map((records) => Buffer.concat(records));
  }

  #number({ type, epoch, bytes }: Outgoing): DtlsRecord {
    const record = { type, epoch, sequence: this.#sent[epoch], fragment: bytes };
    this.#sent[epoch] += 1;
    if (epoch === 0) return record;
    if (this.#keys === null) throw new Error('there are no keys yet');
    return sealRecord(this.#keys.sending, record);
  }

  /** Null for what is not authentic, or comes before its key. */
  open(record: DtlsRecord): DtlsRecord | null {
    if (record.epoch === 0) return record;
    return record.epoch === 1 && this.#keys !== null ? openRecord(this.#keys.receiving, record) : null;
  }
}
