/**
 * The actor of a request within its account. The HTTP edge and the job queue create it; other code does not depend on
 * the kind of actor.
 */
import type { Features, Limits } from './features-and-limits.ts';
import type { Secret } from './secret.ts';

export interface Actor {
  readonly kind: 'api_key' | 'session' | 'operator' | 'job';
  /** Id of the key, session or operator; for a job the name of its task. */
  readonly id: string;
}

export interface Caller {
  readonly actor: Actor;
  readonly accountId: string;
  /** The API key of the request, which signs callbacks if the account has no callback secret. Null for other actors. */
  readonly signingKey: Secret | null;
  /** API version of requests without a version header. */
  readonly apiVersion: string;
  readonly features: Features;
  readonly limits: Limits;
  /** A read-only account may not order. */
  readonly readOnly: boolean;
  readonly maxPageSize: number;
  /** Requests per second; null means no limit. */
  readonly rateLimit: number | null;
}
