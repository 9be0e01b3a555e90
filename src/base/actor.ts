/**
 * Who acts: one type for requests, commands and jobs. The HTTP edge, the command line and the job that acts create it;
 * the audit log, the log of requests and the history of numbers each derive from it what they store.
 */

export type Actor =
  /** A client of an account; `id` is that of its key, panel session or OTP application. */
  | { readonly kind: 'api_key' | 'session' | 'application'; readonly id: string }
  | OperatorActor
  /** `id` is the name of the job's task. */
  | { readonly kind: 'job'; readonly id: string }
  /** Known by a name only: `cli:NAME` at the command line, a reviewer, `bootstrap`, `sandbox`, `system`. */
  | { readonly kind: 'named'; readonly id: string };

export interface OperatorActor {
  readonly kind: 'operator';
  readonly id: string;
  readonly email: string;
}

/** Who can send a request. */
export type Client = Exclude<Actor, { kind: 'job' } | { kind: 'named' }>;

/** The actor in the audit log and in the tables of operators' acts. Clients of accounts are not told apart there. */
export function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case 'operator':
      return actor.email;
    case 'named':
      return actor.id;
    case 'job':
      return 'system';
    default:
      return 'customer';
  }
}
