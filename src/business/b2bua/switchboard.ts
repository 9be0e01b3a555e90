/**
 * Takes what arrives outside of a dialog: decides whether a call comes from a carrier for one of our numbers, or from a
 * customer's outbound trunk, and bridges it; answers REGISTER.
 */

import { isUnavailable } from '../../engines/db/unavailable.ts';
import type { Environment } from '../../engines/environment.ts';
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import { SipError } from '../../engines/sip/message/sip-error.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import { isWebSocket } from '../../engines/sip/transport/wire.ts';
import { createCallerVerifier, type VerifyCaller } from '../caller-identity/verifier.ts';
import type { Disconnect } from '../voice/call.ts';
import { type AdmitSource, createSourceAdmission } from '../voice/carriers/admit-source.ts';
import { createRouteFinder } from '../voice/carriers/find-routes.ts';
import { phraseOf } from '../voice/disconnect-codes.ts';
import { findRoute } from '../voice/inbound/route.ts';
import { type Moment, momentOf } from '../voice/moment.ts';
import { candidateTrunks } from '../voice/outbound/find-trunks.ts';
import type { Voice } from '../voice/voice.ts';
import type { ArrivingCall, CallRefusal } from './arriving-call.ts';
import { Authentication } from './authentication.ts';
import { Bridge } from './bridge.ts';
import type { CallTaker, SipEndpoint } from './endpoint.ts';
import { reasonHeader } from './headers.ts';
import { dialledOf, numberOf, refusedRequest } from './identity.ts';
import { takeInbound } from './inbound.ts';
import { takeOutbound } from './outbound.ts';
import { databaseAway, inTime, mostWaitMs } from './patience.ts';
import { PeerChecks } from './peer-checks.ts';
import { Registrations, wrongCredentials } from './registrations.ts';
import { type ReplacedCall, replacedDialog } from './replaced-call.ts';
import { SandboxRoutes } from './sandbox-routes.ts';
import { StrayedByes } from './strayed-bye.ts';

const awayRefusal: CallRefusal = {
  ...{ code: 503, reason: 'database_away', text: databaseAway.reason },
  headers: [['Retry-After', '1']],
};

/** How calls end when the process stops. */
const stopped: Disconnect = { code: 503, reason: phraseOf(503), initiator: 'switch' };

interface SwitchboardOptions {
  /** How often carriers and trunks are asked whether they are there; 0 for never. */
  checkSeconds?: number;
  /** Whether calls that no carrier takes are answered here, in the sandbox. */
  answersItself?: boolean;
}

export class Switchboard implements CallTaker {
  readonly #endpoint: SipEndpoint;
  readonly #voice: Voice;
  readonly #env: Environment;
  readonly #admit: AdmitSource;
  readonly #findRoutes: ReturnType<typeof createRouteFinder>;
  readonly #verifyCaller: VerifyCaller | null;
  readonly #authentication: Authentication;
  readonly #checks: PeerChecks;
  readonly #registrations: Registrations;
  readonly #sandboxRoutes: SandboxRoutes | null;
  readonly #strayedByes: StrayedByes;
  readonly #bridges = new Set<Bridge>();

  constructor(
    endpoint: SipEndpoint,
    voice: Voice,
    { checkSeconds = 0, answersItself = false }: SwitchboardOptions = {},
  ) {
    this.#endpoint = endpoint;
    this.#voice = voice;
    this.#env = endpoint.env;
    this.#admit = createSourceAdmission(this.#env);
    this.#findRoutes = createRouteFinder(this.#env);
    this.#verifyCaller = createCallerVerifier(this.#env);
    this.#authentication = new Authentication(this.#env);
    this.#sandboxRoutes = answersItself ? new SandboxRoutes(endpoint) : null;
    this.#strayedByes = new StrayedByes(endpoint, voice);
    this.#registrations = new Registrations(endpoint, this.#authentication);
    this.#checks = new PeerChecks(endpoint, this.#registrations, checkSeconds);
    if (checkSeconds > 0) this.#checks.start();
  }

  /** Calls that are in progress, for metrics and tests. */
  get size(): number {
    return this.#bridges.size;
  }

  /** Ends all calls of this process: their legs are hung up, and their ends written. */
  stop(): void {
    void this.#checks.stop();
    void this.#sandboxRoutes?.stop();
    this.#registrations.stop();
    for (const bridge of this.#bridges) bridge.stop(stopped);
  }

  call(caller: IncomingCall): void {
    const at = momentOf(this.#env.clock);
    const release = once(() => this.#endpoint.admission.release());
    const patience = this.#endpoint.timers.after(mostWaitMs, () => arriving.refuse(awayRefusal), null);
    const endWait = this.#endpoint.admission.waits();
    const routed = () => {
      patience.close();
      endWait();
    };
    const arriving = this.#arriving(caller, at, { release, routed });
    this.#take(arriving)
      .catch((error: unknown) => arriving.refuse(this.#refusalOf(error, 'a call could not be taken')))
      .finally(() => {
        routed();
        // A bridged call is released when it is settled; any other has its response by now.
        if (caller.isOver) release();
      });
  }

  get #now(): Moment {
    return momentOf(this.#env.clock);
  }

  options(transaction: ServerTransaction): void {
    const { transport, address } = this.#endpoint.sources.of(transaction);
    if (!isWebSocket(transport)) this.#checks.heard(address);
  }

  strayed(transaction: ServerTransaction): boolean {
    return this.#strayedByes.take(transaction);
  }

  request(transaction: ServerTransaction): void {
    if (transaction.request.method !== 'REGISTER') {
      transaction.reply(405);
      return void this.#refused(transaction, { code: 405, reason: 'method_not_allowed', text: phraseOf(405) });
    }
    inTime(this.#endpoint.timers, this.#register(transaction)).catch((error: unknown) => {
      const refusal = this.#refusalOf(error, 'a registration failed');
      const { code, text, headers = [] } = refusal;
      transaction.reply(code, undefined, Object.fromEntries([...headers, reasonHeader(code, text)]));
      this.#refused(transaction, refusal);
    });
  }

  /** What a peer is told about an error: its own mistake, a database that is away, or ours. */
  #refusalOf(error: unknown, what: string): CallRefusal {
    if (error instanceof SipError) return { code: error.status, reason: 'malformed', text: error.message };
    if (isUnavailable(error)) return awayRefusal;
    this.#env.log.error({ err: error }, what);
    return { code: 500, reason: 'internal_error', text: phraseOf(500) };
  }

  async #register(transaction: ServerTransaction): Promise<void> {
    const isRight = await this.#registrations.register(transaction);
    if (isRight === null) return;
    const { address } = this.#endpoint.sources.of(transaction);
    if (isRight) return this.#endpoint.guard.accepted(address);
    this.#endpoint.guard.refused(address);
    this.#refused(transaction, { code: 403, reason: 'wrong_credentials', text: wrongCredentials });
  }

  /** Tells the taps of a request that has been refused. */
  #refused(transaction: ServerTransaction, { code, reason, text }: CallRefusal, at = momentOf(this.#env.clock)): void {
    this.#endpoint.taps.refused({
      ...refusedRequest(transaction, this.#endpoint.sources.of(transaction), at),
      ...{ code, reason, text },
    });
  }

  /** `routed` is called when the engine has decided, `release` when the call is answered or has ended. */
  #arriving(
    caller: IncomingCall,
    at: Moment,
    { release, routed }: { release: () => void; routed: () => void },
  ): ArrivingCall {
    const endpoint = this.#endpoint;
    const { request } = caller.transaction;
    const source = endpoint.sources.of(caller.transaction);
    let wasRefused = false;
    const ended = () => this.#sandboxRoutes?.release(caller);
    return {
      ...{ endpoint, voice: this.#voice, caller, at, source },
      ...{ authentication: this.#authentication, registrations: this.#registrations, findRoutes: this.#findRoutes },
      sandboxRoutes: this.#sandboxRoutes,
      verifyCaller: this.#verifyCaller,
      refuse: (refusal) => {
        ended();
        if (wasRefused) return;
        wasRefused = true;
        const { code, text, headers = [] } = refusal;
        caller.reject(code, { headers: [...headers, reasonHeader(code, text)] });
        release();
        this.#refused(caller.transaction, refusal, at);
      },
      note: (text) => endpoint.taps.decision(request.callId, momentOf(this.#env.clock), text),
      bridge: async (options) => {
        // What follows waits for others: for DNS, and for the called party.
        routed();
        // The database has answered too late: the caller was refused.
        if (wasRefused) {
          ended();
          return void (await options.live.end(databaseAway, this.#now));
        }
        const bridge: Bridge = new Bridge({
          ...{ ...options, endpoint, caller, settled: release },
          findReplaced: (replaces) => this.#findReplaced(bridge, options.live.call.accountId, replaces),
          ended: () => {
            ended();
            this.#bridges.delete(bridge);
          },
        });
        this.#bridges.add(bridge);
        endpoint.taps.leg({ call: options.live.call.id, callId: request.callId, side: 'caller' });
        await bridge.start();
      },
    };
  }

  #findReplaced(asking: Bridge, accountId: string | null, replaces: string): ReplacedCall | null {
    if (accountId === null) return null;
    const dialog = replacedDialog(replaces);
    for (const bridge of this.#bridges) {
      const replaced = bridge === asking ? null : bridge.replaced(dialog, accountId);
      if (replaced !== null) return replaced;
    }
    return null;
  }

  async #take(arriving: ArrivingCall): Promise<void> {
    const { source } = arriving;
    const { request } = arriving.caller.transaction;
    if (request.headers.first('Max-Forwards')?.trim() === '0')
      return arriving.refuse({ code: 483, reason: 'too_many_hops', text: phraseOf(483) });
    const number = numberOf(request.uri);
    if (number === null)
      return arriving.refuse({ code: 484, reason: 'no_number', text: 'The Request-URI has no number' });
    // A browser is no carrier, from wherever it calls.
    if (request.headers.has('Authorization') || isWebSocket(source.transport)) return takeOutbound(arriving);
    const admitted = await this.#admit(source.address, number);
    if ('code' in admitted) {
      // An address of no carrier may be a customer's, whose trunk decides; a carrier's is nobody else's.
      return admitted.reason === 'unlisted_source' ? takeOutbound(arriving, admitted) : arriving.refuse(admitted);
    }
    this.#endpoint.guard.accepted(source.address);
    if (admitted.carrier === null && !(await this.#isForOurNumber(arriving, number))) return takeOutbound(arriving);
    return takeInbound(arriving, number, admitted.carrier);
  }

  /**
   * On the sandbox's own machine a call may be a carrier's or a customer's: the called number tells, if there is a
   * trunk at all.
   */
  async #isForOurNumber({ caller, source }: ArrivingCall, number: string): Promise<boolean> {
    const { request } = caller.transaction;
    const route = await findRoute(this.#env.pool, number, '');
    if (typeof route !== 'string') return true;
    const twilioAccountSid = request.headers.first('X-Twilio-AccountSid') ?? null;
    const asked = {
      sourceIp: source.address,
      digest: null,
      twilioAccountSid,
      from: '',
      to: dialledOf(request.uri) ?? '',
    };
    return (await candidateTrunks(this.#env, asked)).length === 0;
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
