/** The little of the library `smpp` (the SMSC peer in tests) that is used here. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server as NetServer, Socket } from 'node:net';

  export interface PDU {
    command: string;
    command_status: number;
    sequence_number: number;
    system_id?: string;
    password?: string;
    system_type?: string;
    interface_version?: number;
    source_addr?: string;
    source_addr_ton?: number;
    source_addr_npi?: number;
    destination_addr?: string;
    dest_addr_ton?: number;
    dest_addr_npi?: number;
    esm_class?: number;
    data_coding?: number;
    registered_delivery?: number;
    validity_period?: Date | string;
    short_message?: { message: string | Buffer; udh?: Buffer[] };
    response(options?: Record<string, unknown>): PDU;
  }

  export interface Session extends EventEmitter {
    socket: Socket;
    send(pdu: PDU): void;
    deliver_sm(options: Record<string, unknown>, answered?: (pdu: PDU) => void): void;
    enquire_link(options?: Record<string, unknown>, answered?: (pdu: PDU) => void): void;
    unbind(options?: Record<string, unknown>, answered?: (pdu: PDU) => void): void;
    close(): void;
    destroy(): void;
  }

  export function createServer(listener: (session: Session) => void): NetServer;
}
