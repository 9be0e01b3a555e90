/** The remaining ways to dial one attempt, the redirections it may still follow, and the Call-ID of each leg. */
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { ringingTimeoutCode } from '../voice/disconnect-codes.ts';
import type { DialPlan, Rounds } from './dial-plan.ts';
import { redirected } from './redirect.ts';
import type { FailedLeg } from './ringing-legs.ts';
import type { TargetFinder } from './targets.ts';

export class AttemptPlans {
  readonly #left: Rounds[number][];
  #legs = 0;
  #redirects = 0;

  constructor(rounds: Rounds) {
    this.#left = [...rounds];
  }

  /** The plans that are dialled together next. */
  next(): readonly DialPlan[] | undefined {
    return this.#left.shift();
  }

  /** The first leg has the attempt's own Call-ID. */
  nextCallId(own: string): string {
    return this.#legs++ === 0 ? own : `${this.#legs}.${own}`;
  }

  /** Where a redirection leads to, as long as the plan allows another one. */
  redirection(plan: DialPlan, response: SipResponse, targets: TargetFinder): DialPlan | null {
    if (response.status < 300 || response.status >= 400 || this.#redirects >= plan.mostRedirects) return null;
    const next = redirected(plan, response, targets);
    if (next !== null) this.#redirects++;
    return next;
  }

  /** Whether the remaining plans are tried after this failure. */
  goesOn({ plan, failure: { code }, response }: FailedLeg): boolean {
    if (this.#left.length === 0 || code === ringingTimeoutCode) return false;
    return plan.triesNext(code) || (response !== null && code < 400);
  }
}
