/** An SMSC on loopback, spoken by another library than the client under test. */
import { once } from 'node:events';
import { createServer, type PDU, type Session } from 'smpp';

interface TakenMessage {
  id: string;
  source: string;
  sourceTon: number;
  destination: string;
  dataCoding: number;
  /** The text as the library decodes it. */
  text: string;
  concatenation: { reference: number; total: number; part: number } | null;
}

export interface SmscOptions {
  systemId?: string;
  password?: string;
  port?: number;
  /** Leaves binds, or unbinds, without a response. */
  silentBind?: boolean;
  silentUnbind?: boolean;
  /** The status of the response to the n-th submit_sm (from 0), or null to leave it without one. */
  submitStatus?(index: number): number | null;
  /** How long the response to a submit_sm takes. */
  delayMs?: number;
}

export interface Smsc {
  readonly port: number;
  readonly messages: TakenMessage[];
  readonly binds: number;
  readonly submits: number;
  readonly enquiries: number;
  /** The most submit_sm without a response at one time. */
  readonly mostUnanswered: number;
  /** Sends a delivery receipt; resolves with the status of the response. */
  receipt(messageId: string, stat: string): Promise<number>;
  /** Sends a deliver_sm that ends in the middle of a field; resolves with the status of the response. */
  garbage(): Promise<number>;
  /** Drops every connection without a word. */
  drop(): void;
  close(): Promise<void>;
}

export async function openSmsc(options: SmscOptions = {}): Promise<Smsc> {
  const sessions = new Set<Session>();
  const bound = new Set<Session>();
  const messages: TakenMessage[] = [];
  const counts = { binds: 0, submits: 0, enquiries: 0, unanswered: 0, mostUnanswered: 0 };

  const server = createServer((session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => {
      sessions.delete(session);
      bound.delete(session);
    });
    session.on('bind_transceiver', (pdu: PDU) => {
      counts.binds++;
      if (options.silentBind) return;
      const right =
        pdu.system_id === (options.systemId ?? 'trunkline') && pdu.password === (options.password ?? 'secret');
      session.send(pdu.response({ command_status: right ? 0 : 0x0e, system_id: 'TESTSMSC' }));
      if (right) bound.add(session);
    });
    session.on('enquire_link', (pdu: PDU) => {
      counts.enquiries++;
      session.send(pdu.response());
    });
    session.on('unbind', (pdu: PDU) => {
      if (options.silentUnbind) return;
      session.send(pdu.response());
      session.close();
    });
    session.on('submit_sm', (pdu: PDU) => {
      const status = (options.submitStatus ?? (() => 0))(counts.submits++);
      if (status === null) return;
      counts.mostUnanswered = Math.max(counts.mostUnanswered, ++counts.unanswered);
      const id = `m${counts.submits}`;
      if (status === 0) messages.push(taken(id, pdu));
      setTimeout(() => {
        counts.unanswered--;
        session.send(pdu.response({ command_status: status, message_id: id }));
      }, options.delayMs ?? 0);
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  return {
    port: address.port,
    messages,
    get binds() {
      return counts.binds;
    },
    get submits() {
      return counts.submits;
    },
    get enquiries() {
      return counts.enquiries;
    },
    get mostUnanswered() {
      return counts.mostUnanswered;
    },
    receipt: (messageId, stat) =>
      new Promise((resolve, reject) => {
        const session = [...bound][0];
        if (session === undefined) return reject(new Error('nobody is bound'));
        const text = `id:${messageId} sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:${stat} err:000 text:`;
        session.deliver_sm({ esm_class: 0x04, short_message: text }, (pdu) => resolve(pdu.command_status));
      }),
    garbage: () =>
      new Promise((resolve, reject) => {
        const session = [...bound][0];
        if (session === undefined) return reject(new Error('nobody is bound'));
        session.once('deliver_sm_resp', (pdu: PDU) => resolve(pdu.command_status));
        const header = Buffer.alloc(16);
        for (const [index, word] of [18, 0x00000005, 0, 7001].entries()) header.writeUInt32BE(word, index * 4);
        session.socket.write(Buffer.concat([header, Buffer.from([0, 1])]));
      }),
    drop: () => {
      for (const session of sessions) session.destroy();
    },
    close: async () => {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function taken(id: string, pdu: PDU): TakenMessage {
  const header = pdu.short_message?.udh?.[0];
  return {
    id,
    source: pdu.source_addr ?? '',
    sourceTon: pdu.source_addr_ton ?? -1,
    destination: pdu.destination_addr ?? '',
    dataCoding: pdu.data_coding ?? -1,
    text: String(pdu.short_message?.message ?? ''),
    concatenation:
      header === undefined ? null : { reference: header[2] ?? -1, total: header[3] ?? -1, part: header[4] ?? -1 },
  };
}
