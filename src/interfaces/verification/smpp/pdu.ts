/**
 * SMPP 3.4 on the wire: the few PDUs that a sender of text messages needs, written and read. By hand: the library plays
 * the other side in tests, so that the two ends are not the same code.
 */

const commandIds = {
  generic_nack: 0x80000000,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
} as const;

export type CommandName = keyof typeof commandIds;

export interface Pdu {
  command: CommandName | null;
  commandId: number;
  status: number;
  sequence: number;
  body: Buffer;
}

const headerBytes = 16;
/** Far more than a short message needs; a greater length means that the stream is not SMPP. */
const maxPduBytes = 65_536;

export class SmppProtocolError extends Error {}

export function writePdu(command: CommandName, sequence: number, body: Buffer = Buffer.alloc(0), status = 0): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(headerBytes + body.length, 0);
  header.writeUInt32BE(commandIds[command], 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

const commandNames = new Map<number, CommandName>(
  Object.entries(commandIds).flatMap(([name, id]) => (isCommandName(name) ? [[id, name] as const] : [])),
);

/** Cuts the byte stream of one connection into PDUs. */
export class PduReader {
  #pending: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Pdu[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const pdus: Pdu[] = [];
    while (this.#pending.length >= headerBytes) {
      const length = this.#pending.readUInt32BE(0);
      if (length < headerBytes || length > maxPduBytes)
        throw new SmppProtocolError(`a PDU of ${length} bytes was announced`);
      if (this.#pending.length < length) break;
      pdus.push(readPdu(this.#pending.subarray(0, length)));
      this.#pending = this.#pending.subarray(length);
    }
    return pdus;
  }
}

function readPdu(bytes: Buffer): Pdu {
  const commandId = bytes.readUInt32BE(4);
  return {
    command: commandNames.get(commandId) ?? null,
    commandId,
    status: bytes.readUInt32BE(8),
    sequence: bytes.readUInt32BE(12),
    body: bytes.subarray(headerBytes),
  };
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commandIds, name);
}
