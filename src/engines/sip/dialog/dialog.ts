/** A dialog (RFC 3261 12): who talks to whom, in which order, over which route. Builds every request within it. */
import { type SipMessage, SipRequest, type SipResponse } from '../message/message.ts';
import { parseNameAddress } from '../message/name-address.ts';
import { badRequest } from '../message/sip-error.ts';
import { parseSipUriOnly } from '../message/uri.ts';
import type { Flow, Target } from '../transport/wire.ts';

export class Dialog {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
  /** From and To of requests sent from here, tags included. */
  readonly local: string;
  readonly remote: string;
  readonly routes: readonly string[];
  /** The Contact of the peer: Request-URI of what is sent. */
  remoteTarget: string;
  localSequence: number;
  /** Null until the peer has sent a request. */
  remoteSequence: number | null;
  /** How the peer was last reached, or reached us. */
  peer: Target;
  /** Contact of this end. */
  contact: string;
  /** When the peer last sent anything within the dialog, by the agent's timers. */
  heardAt = 0;

  constructor(
    fields: Omit<Dialog, 'createRequest' | 'key' | 'nextHop' | 'acceptSequence' | 'refresh' | 'heard' | 'heardAt'>,
  ) {
    this.callId = fields.callId;
    this.localTag = fields.localTag;
    this.remoteTag = fields.remoteTag;
    this.local = fields.local;
    this.remote = fields.remote;
    this.routes = fields.routes;
    this.remoteTarget = fields.remoteTarget;
    this.localSequence = fields.localSequence;
    this.remoteSequence = fields.remoteSequence;
    this.peer = fields.peer;
    this.contact = fields.contact;
  }

  get key(): string {
    return dialogKey(this.callId, this.localTag, this.remoteTag);
  }

  /**
   * The one builder of requests within a dialog: route set, target and sequence are the same for BYE, ACK and all
   * others.
   */
  createRequest(method: string, sequence?: number): SipRequest {
    const [first, ...others] = this.routes;
    const loose = first === undefined || /;lr\b/i.test(first);
    const request = new SipRequest(method, loose ? this.remoteTarget : parseNameAddress(first).uri);
    request.headers.add('Max-Forwards', '70');
    request.headers.addAll('Route', loose ? this.routes : [...others, `<${this.remoteTarget}>`]);
    request.headers.add('From', this.local);
    request.headers.add('To', this.remote);
    request.headers.add('Call-ID', this.callId);
    // ACK has the number of its INVITE.
    request.headers.add('CSeq', `${sequence ?? ++this.localSequence} ${method}`);
    if (method !== 'ACK' && method !== 'BYE') request.headers.add('Contact', this.contact);
    return request;
  }

  /** The URI whose host receives the next request. */
  get nextHop(): string {
    const [first] = this.routes;
    return first === undefined ? this.remoteTarget : parseNameAddress(first).uri;
  }

  /** A request of the peer came this way: behind NAT its address and port may have changed. */
  heard(flow: Flow, at: number): void {
    this.heardAt = at;
    if (flow.transport === this.peer.transport) this.peer = { ...this.peer, ...flow };
  }

  /** False for a request older than one that has been seen (RFC 3261 12.2.2). */
  acceptSequence(sequence: number): boolean {
    if (this.remoteSequence !== null && sequence <= this.remoteSequence) return false;
    this.remoteSequence = sequence;
    return true;
  }

  /** Takes a new Contact from a target refresh request or its 2xx. */
  refresh(message: SipMessage): void {
    const contact = message.headers.firstOfList('Contact');
    if (contact !== undefined) this.remoteTarget = contactUri(contact);
  }
}

export function dialogKey(callId: string, localTag: string, remoteTag: string): string {
  return `${callId} ${localTag} ${remoteTag}`;
}

/** The dialog of an INVITE sent from here, as a response with a To tag makes it. Record-Route counts backwards. */
export function dialogOfResponse(invite: SipRequest, response: SipResponse, peer: Target): Dialog {
  const contact = response.headers.firstOfList('Contact');
  return new Dialog({
    callId: invite.callId,
    localTag: invite.fromTag,
    remoteTag: response.toTag,
    local: invite.headers.first('From') ?? '',
    remote: response.headers.first('To') ?? '',
    routes: routeSet(response).reverse(),
    remoteTarget: contact === undefined ? invite.uri : contactUri(contact),
    localSequence: invite.cseq.number,
    remoteSequence: null,
    peer,
    contact: invite.headers.first('Contact') ?? '',
  });
}

/** The dialog of an INVITE received here. `to` is the To header with this end's tag. */
export function dialogOfRequest(
  invite: SipRequest,
  to: string,
  localTag: string,
  contact: string,
  peer: Target,
): Dialog {
  const remoteContact = invite.headers.firstOfList('Contact');
  if (remoteContact === undefined) throw badRequest('Missing Contact');
  return new Dialog({
    callId: invite.callId,
    localTag,
    remoteTag: invite.fromTag,
    local: to,
    remote: invite.headers.first('From') ?? '',
    routes: routeSet(invite),
    remoteTarget: contactUri(remoteContact),
    localSequence: 0,
    remoteSequence: invite.cseq.number,
    peer,
    contact,
  });
}

/** Checked when the dialog is made: a damaged route must not be found by the timer that sends BYE. */
function routeSet(message: SipMessage): string[] {
  const routes = message.headers.all('Record-Route');
  for (const route of routes) parseSipUriOnly(parseNameAddress(route).uri);
  return routes;
}

/** Throws 400 or 416 for a Contact that nothing can be sent to. */
function contactUri(contact: string): string {
  const { uri } = parseNameAddress(contact);
  parseSipUriOnly(uri);
  return uri;
}
