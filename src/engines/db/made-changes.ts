/** What one request has changed so far, as far as PostgreSQL has confirmed it. */

export type Outcome = 'nothing_changed' | 'unknown' | 'done';

export class Changes {
  #made = false;
  #lost = false;
  #waiting = 0;

  get outcome(): Outcome {
    if (this.#lost || this.#waiting > 0) return 'unknown';
    return this.#made ? 'done' : 'nothing_changed';
  }

  /** Follows a statement that changes something, or the end of a transaction, from its sending. */
  sent(): { confirmed: () => void; failed: (error: unknown) => void } {
    this.#waiting++;
    return {
      confirmed: () => {
        this.#waiting--;
        this.#made = true;
      },
      failed: (error) => {
        this.#waiting--;
        if (!isRefusal(error)) this.#lost = true;
      },
    };
  }
}

/**
 * Whether PostgreSQL itself has said no, or nothing was sent. Of an error that ends its session (class 57P) or that the
 * machine has (53, 58, XX), nobody knows whether it came before or after the change was stored.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'DatabaseBusy' || error.name === 'ClientGone') return true;
  const code = 'code' in error && 'severity' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57P|58|XX)/.test(code) && code !== '40003';
}
