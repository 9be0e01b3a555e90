/**
 * The line to one supplier: every request to it goes through here, whatever API it speaks. It asks the breaker first,
 * sends through the guarded client, logs what was sent and answered, and says what is known of the outcome.
 */
import type { Environment } from '../../engines/environment.ts';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../../engines/outbound/outbound-request.ts';
import { noteAnswer, noteFailure, notePause, pauseOf } from './breaker.ts';
import { done, type NotDone, type Outcome } from './outcome.ts';
import { type LoggedRequest, logRequest } from './request-log.ts';

type LineEnvironment = Pick<Environment, 'db' | 'clock' | 'log' | 'outbound'>;

interface LineRequest<T> {
  readonly method: OutboundRequest['method'];
  /** With its query, after the address of the supplier. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Reads a response of success; what it throws makes the response garbage. */
  readonly read: (body: Buffer) => T;
  /** What the supplier says in a response of refusal: a code and a sentence. */
  readonly refusal: (status: number, body: Buffer) => { readonly code: string; readonly text: string };
}

const timeoutMs = 30_000;
/** A page of a thousand groups with all that it includes. */
const largestResponse = 16 * 1_048_576;

export class SupplierLine {
  readonly #env: LineEnvironment;
  readonly #supplier: { readonly id: string; readonly url: string };

  constructor(env: LineEnvironment, supplier: { readonly id: string; readonly url: string }) {
    this.#env = env;
    this.#supplier = supplier;
  }

  async send<T>(request: LineRequest<T>): Promise<Outcome<T>> {
    const { clock } = this.#env;
    const { id } = this.#supplier;
    const pause = await pauseOf(this.#env, id);
    if (pause !== null) return { kind: 'limited', until: pause, text: 'the supplier is set aside for a while' };
    const [at, began] = [clock.now(), performance.now()];
    const { outcome, response } = await this.#exchange(request);
    await this.#note(outcome);
    const { method, path, body = null } = request;
    const entry: LoggedRequest = {
      ...{ at, method, path: path.slice(0, 2_048), status: response?.status ?? null, outcome: outcome.kind },
      ...{ duration_ms: Math.round(performance.now() - began), request: body },
      answer: response === null ? textOf(outcome) : response.body.toString('utf8'),
    };
    await logRequest(this.#env, id, entry);
    return outcome;
  }

  async #exchange<T>(request: LineRequest<T>): Promise<{ outcome: Outcome<T>; response: OutboundResponse | null }> {
    const { method, path, headers, body } = request;
    try {
      const response = await this.#env.outbound.request({
        ...{ url: `${this.#supplier.url}${path}`, method, headers: { ...headers }, timeoutMs },
        ...(body === undefined ? {} : { body }),
        maxResponseBytes: largestResponse,
        // A request that changes something must not be sent again by itself.
        freshConnection: method !== 'GET',
      });
      return { outcome: await this.#outcomeOf(request, response), response };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { outcome: { kind: error.sent ? 'unknown' : 'unreached', text: error.message }, response: null };
    }
  }

  async #outcomeOf<T>(request: LineRequest<T>, { status, headers, body }: OutboundResponse): Promise<Outcome<T>> {
    if (status === 429 || (status === 503 && headers['retry-after'] !== undefined)) {
      const until = await notePause(this.#env, this.#supplier.id, headers['retry-after']);
      // A 429 was not begun; a busy server may have done what it was asked for.
      if (status === 429 || request.method === 'GET') return { kind: 'limited', until, text: `answered ${status}` };
      return { kind: 'unknown', text: `answered ${status}` };
    }
    if (status >= 500) return { kind: 'unknown', text: `answered ${status}` };
    if (status >= 300) return { kind: 'refused', status, ...request.refusal(status, body) };
    try {
      return done(request.read(body));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: 'garbage', text: `the answer cannot be read: ${reason}` };
    }
  }

  async #note({ kind, ...rest }: Outcome<unknown>): Promise<void> {
    const { id } = this.#supplier;
    if (kind === 'done' || kind === 'refused') return noteAnswer(this.#env, id);
    if (kind !== 'limited' && 'text' in rest) return noteFailure(this.#env, id, String(rest.text));
  }
}

const textOf = (outcome: Outcome<unknown>): string | null =>
  outcome.kind === 'done' ? null : (outcome satisfies NotDone).text;
