/** Counts the requests that this process sent, by purpose and result. No label contains an address or an id. */
import { OutboundError } from './outbound-request.ts';

type Purpose = 'callback' | 'call_event' | 'approval';

interface Sent {
  readonly purpose: Purpose;
  readonly result: string;
  count: number;
}

export class SentRequests {
  readonly #sent = new Map<string, Sent>();

  /** `result` is `ok`, the class of the status, or the kind of the error. */
  count(purpose: Purpose, outcome: { ok: boolean; result: number | string }): void {
    const { ok, result } = outcome;
    const named = typeof result === 'number' ? `status_${Math.floor(result / 100)}xx` : result;
    const label = ok ? 'ok' : named;
    const key = `${purpose} ${label}`;
    const known = this.#sent.get(key) ?? { purpose, result: label, count: 0 };
    known.count += 1;
    this.#sent.set(key, known);
  }

  /** In the order in which they were first counted. */
  counts(): readonly Readonly<Sent>[] {
    return [...this.#sent.values()];
  }
}

/** The label of an error. */
export function resultOf(error: unknown): string {
  return error instanceof OutboundError ? error.kind : 'internal';
}
