/**
 * One SMPP connection: binds, matches responses to requests, keeps alive, and fails all open requests when it breaks.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type BindFields, bindBody, type Delivery, readDelivery } from './messages.ts';
import { type CommandName, type Pdu, PduReader, SmppProtocolError, writePdu } from './pdu.ts';

export interface SessionOptions extends BindFields {
  host: string;
  port: number;
  tls: boolean;
  connectTimeoutMs: number;
  responseTimeoutMs: number;
  enquireLinkMs: number;
}

interface SessionEvents {
  /** The peer gets its response when this resolves; a rejection makes the peer send it again. */
  delivery(delivery: Delivery): Promise<void>;
  closed(session: SmppSession, reason: Error): void;
}

/** The peer responded with a status other than zero. */
export class SmppStatusError extends Error {
  readonly status: number;

  constructor(command: string, status: number) {
    super(`${command} was answered with status 0x${status.toString(16).padStart(8, '0')}`);
    this.status = status;
  }
}

/** The connection ended, or no response came: it is unknown whether the peer has acted. */
export class SmppConnectionError extends Error {}

/** There is no session: nothing was sent. */
export class SmppUnavailableError extends Error {}

const commandStatus = { ok: 0x00, invalidCommand: 0x03, temporaryReceiverError: 0x64, permanentReceiverError: 0x65 };

/** Connects and binds; `signal` gives that up at once. */
export async function openSession(
  options: SessionOptions,
  events: SessionEvents,
  signal: AbortSignal,
): Promise<SmppSession> {
  const session = new SmppSession(await connect(options, signal), options, events);
  const giveUp = () => session.end();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await session.request('bind_transceiver', bindBody(options));
  } catch (error) {
    session.end();
    throw new SmppUnavailableError(`the SMSC does not let us in: ${error instanceof Error ? error.message : error}`);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
  session.keepAlive();
  return session;
}

const unbindPatienceMs = 500;

export class SmppSession {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #events: SessionEvents;
  readonly #reader = new PduReader();
  readonly #waiting = new Map<number, { command: CommandName; settle(response: Pdu | Error): void }>();
  #sequence = 0;
  #probe: NodeJS.Timeout | undefined;
  #open = true;

  constructor(socket: Socket, options: SessionOptions, events: SessionEvents) {
    this.#socket = socket;
    this.#options = options;
    this.#events = events;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#close(error));
    socket.on('close', () => this.#close(new Error('the peer closed the connection')));
  }

  get open(): boolean {
    return this.#open;
  }

  /** Sends a request and returns the body of its response. */
  request(command: CommandName, body?: Buffer): Promise<Buffer> {
    if (!this.#open) return Promise.reject(new SmppUnavailableError('the session is closed'));
    this.#sequence = (this.#sequence % 0x7fffffff) + 1;
    const sequence = this.#sequence;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.get(sequence)?.settle(new SmppConnectionError(`${command} was not answered in time`));
      }, this.#options.responseTimeoutMs);
      this.#waiting.set(sequence, {
        command,
        settle: (response) => {
          clearTimeout(timer);
          this.#waiting.delete(sequence);
          if (response instanceof Error) reject(response);
          else if (response.status !== commandStatus.ok) reject(new SmppStatusError(command, response.status));
          else resolve(response.body);
        },
      });
      this.#socket.write(writePdu(command, sequence, body));
    });
  }

  keepAlive(): void {
    this.#probe = setInterval(() => {
      this.request('enquire_link').catch((error: Error) => this.#close(error));
    }, this.#options.enquireLinkMs);
    this.#probe.unref();
  }

  /** Unbinds and ends the session; waits for the response, but not for long. */
  async unbind(): Promise<void> {
    const patience = setTimeout(() => this.end(), unbindPatienceMs);
    await this.request('unbind').catch(() => undefined);
    clearTimeout(patience);
    this.end();
  }

  end(): void {
    this.#close(new Error('the session was ended'));
  }

  #receive(chunk: Buffer): void {
    try {
      for (const pdu of this.#reader.push(chunk)) this.#handle(pdu);
    } catch (error) {
      this.#close(error instanceof Error ? error : new SmppProtocolError(String(error)));
    }
  }

  #handle(pdu: Pdu): void {
    switch (pdu.command) {
      case 'enquire_link':
        this.#respond('enquire_link_resp', pdu.sequence);
        return;
      case 'deliver_sm':
        this.#deliver(pdu);
        return;
      case 'unbind':
        this.#respond('unbind_resp', pdu.sequence);
        this.#close(new Error('the peer ended the session'));
        return;
      case null:
        this.#respond('generic_nack', pdu.sequence, undefined, commandStatus.invalidCommand);
        return;
      default:
        this.#waiting.get(pdu.sequence)?.settle(pdu);
    }
  }

  #deliver(pdu: Pdu): void {
    const done = (status: number) => this.#respond('deliver_sm_resp', pdu.sequence, Buffer.from([0]), status);
    let delivery: Delivery;
    try {
      delivery = readDelivery(pdu.body);
    } catch {
      // Sending it again would not help, and one bad receipt must not end the session.
      done(commandStatus.permanentReceiverError);
      return;
    }
    this.#events.delivery(delivery).then(
      () => done(commandStatus.ok),
      () => done(commandStatus.temporaryReceiverError),
    );
  }

  #respond(command: CommandName, sequence: number, body?: Buffer, status?: number): void {
    if (this.#open) this.#socket.write(writePdu(command, sequence, body, status));
  }

  #close(reason: Error): void {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#probe);
    this.#socket.end();
    this.#socket.destroySoon();
    for (const { command, settle } of [...this.#waiting.values()]) {
      settle(new SmppConnectionError(`the connection ended before ${command} was answered: ${reason.message}`));
    }
    this.#events.closed(this, reason);
  }
}

function connect({ host, port, tls, connectTimeoutMs }: SessionOptions, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) })
      : connectTcp({ host, port, noDelay: true });
    const fail = (error: Error) => {
      socket.destroy();
      reject(new SmppUnavailableError(`no connection to the SMSC: ${error.message}`));
    };
    const giveUp = () => fail(new Error('given up'));
    socket.setTimeout(connectTimeoutMs, () => fail(new Error('timed out')));
    socket.once('error', fail);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', giveUp));
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      signal.removeEventListener('abort', giveUp);
      resolve(socket);
    });
  });
}
