/**
 * REGISTER (RFC 3261 10.3): adds, refreshes and removes the contacts of an address of record. Who may do so is decided
 * before.
 */
import type { SipRequest, SipResponse } from '../message/message.ts';
import { type NameAddress, parseNameAddress } from '../message/name-address.ts';
import { parameter } from '../message/parameters.ts';
import { sameUri } from '../message/same-uri.ts';
import { badRequest, SipError } from '../message/sip-error.ts';
import { parseDigits } from '../message/text.ts';
import { parseSipUriOnly } from '../message/uri.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import type { Flow } from '../transport/wire.ts';
import type { Binding, BindingStore } from './bindings.ts';

interface RegistrarOptions {
  store: BindingStore;
  now: () => number;
}

/** Seconds. A shorter wish is refused with 423; a longer one is cut. */
const expires = { least: 60, usual: 3_600, most: 86_400 };
const mostContacts = 10;

interface Change {
  uri: string;
  seconds: number;
  priority: number;
  instance?: string;
}

export class Registrar {
  readonly #options: RegistrarOptions;

  constructor(options: RegistrarOptions) {
    this.#options = options;
  }

  /**
   * Answers a REGISTER of a sender who has been authenticated for this address of record. Returns its contacts; none if
   * it was refused. None is kept for longer than `mostSeconds`.
   */
  async register(
    transaction: ServerTransaction,
    addressOfRecord: string,
    mostSeconds = expires.most,
  ): Promise<readonly Binding[]> {
    try {
      const bindings = await this.#apply(transaction.request, transaction.flow, addressOfRecord, mostSeconds);
      const response = transaction.makeResponse(200);
      this.#list(response, bindings);
      transaction.respond(response);
      return bindings;
    } catch (error) {
      if (!(error instanceof SipError)) throw error;
      const response = transaction.makeResponse(error.status, error.message);
      if (error.status === 423) response.headers.add('Min-Expires', String(expires.least));
      transaction.respond(response);
      return [];
    }
  }

  /** A connection has ended: what was registered over it cannot be reached any more. */
  async connectionEnded(addressOfRecord: string, ended: Flow): Promise<void> {
    const isGone = ({ source }: Binding) => source.connection === ended.connection && source.port === ended.port;
    await this.#options.store.update(addressOfRecord, (current) => current.filter((binding) => !isGone(binding)));
  }

  /** The current contacts, best first. */
  async contacts(addressOfRecord: string): Promise<Binding[]> {
    const bindings = await this.#options.store.read(addressOfRecord);
    return this.#current(bindings).sort((one, other) => other.priority - one.priority);
  }

  async #apply(request: SipRequest, source: Flow, addressOfRecord: string, mostSeconds: number): Promise<Binding[]> {
    const contacts = request.headers.all('Contact');
    if (contacts.length === 0) return this.contacts(addressOfRecord);
    const changes = contacts.includes('*')
      ? this.#removeAll(request, contacts)
      : contacts.map((text) => this.#change(request, text, mostSeconds));
    const stored = await this.#options.store.update(addressOfRecord, (current) => {
      const removing = changes ?? current.map(({ uri }) => ({ uri, seconds: 0, priority: 0 }));
      return removing.reduce(
        (bindings, change) => this.#changed(bindings, change, request, source),
        this.#current(current),
      );
    });
    return [...stored];
  }

  /** `*` stands alone and with Expires: 0. Returns null: every contact is meant. */
  #removeAll(request: SipRequest, contacts: readonly string[]): null {
    if (contacts.length > 1 || request.headers.first('Expires') !== '0') throw badRequest('Contact * needs Expires: 0');
    return null;
  }

  #change(request: SipRequest, text: string, mostSeconds: number): Change {
    const contact = parseNameAddress(text);
    parseSipUriOnly(contact.uri);
    const wanted = this.#seconds(contact, request);
    if (wanted > 0 && wanted < expires.least) throw new SipError(423, 'Interval Too Brief');
    const seconds = Math.min(wanted, Math.max(mostSeconds, expires.least));
    const q = Number(parameter(contact.parameters, 'q') ?? '1');
    return { uri: contact.uri, seconds, priority: q >= 0 && q <= 1 ? q : 0, ...instanceOf(contact) };
  }

  /** Malformed values count as the usual time (RFC 3261 10.2.1.1). */
  #seconds(contact: NameAddress, request: SipRequest): number {
    const text = parameter(contact.parameters, 'expires') ?? request.headers.first('Expires');
    const wanted = text === undefined ? null : parseDigits(text, 10);
    return Math.min(wanted ?? expires.usual, expires.most);
  }

  /**
   * A request that is older than the one that made a binding changes nothing of it and fails (RFC 3261 10.3, step 7).
   */
  #changed(bindings: readonly Binding[], change: Change, request: SipRequest, source: Flow): Binding[] {
    const uri = parseSipUriOnly(change.uri);
    const { instance } = change;
    const existing =
      bindings.find((binding) => sameUri(parseSipUriOnly(binding.uri), uri)) ??
      bindings.find((binding) => instance !== undefined && binding.instance === instance);
    const sequence = request.cseq.number;
    if (existing && existing.callId === request.callId && existing.sequence >= sequence) {
      throw new SipError(500, 'Sequence Out of Order');
    }
    const others = bindings.filter((binding) => binding !== existing);
    if (change.seconds === 0) return others;
    if (others.length >= mostContacts) throw new SipError(403, 'Too Many Contacts');
    const expiresAt = this.#options.now() + change.seconds * 1000;
    const path = request.headers.all('Path');
    const { uri: contact, priority } = change;
    const added: Binding = { uri: contact, expiresAt, callId: request.callId, sequence, priority, source, path };
    return [...others, instance === undefined ? added : { ...added, instance }];
  }

  #current(bindings: readonly Binding[]): Binding[] {
    const now = this.#options.now();
    return bindings.filter(({ expiresAt }) => expiresAt > now);
  }

  #list(response: SipResponse, bindings: readonly Binding[]): void {
    const now = this.#options.now();
    for (const { uri, expiresAt } of bindings) {
      response.headers.add('Contact', `<${uri}>;expires=${Math.ceil((expiresAt - now) / 1000)}`);
    }
  }
}

/** RFC 5626 4.2: `+sip.instance` with `reg-id`. */
function instanceOf({ parameters }: NameAddress): { instance?: string } {
  const device = parameter(parameters, '+sip.instance');
  const number = parameter(parameters, 'reg-id');
  return device === undefined || number === undefined ? {} : { instance: `${device} ${number}` };
}
