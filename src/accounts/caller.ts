/** Who asks, within which account. The HTTP edge and the job queue decide that; no other code asks which kind it is. */
import type { Features } from './features.ts';
import type { Limits } from './limits.ts';
import type { Secret } from './secret.ts';

export interface Actor {
  readonly kind: 'api_key' | 'session' | 'operator' | 'job';
  /** Of the key, the session or the operator; the name of the task for a job. */
  readonly id: string;
}

export interface Caller {
  readonly actor: Actor;
  readonly accountId: string;
  /** Signs callbacks while the account has no callback secret: the API key of the request. Null for other actors. */
  readonly signingKey: Secret | null;
  /** Serves requests that ask for no version. */
  readonly apiVersion: string;
  readonly features: Features;
  readonly limits: Limits;
  /** A read-only account may not order. */
  readonly readOnly: boolean;
  readonly maxPageSize: number;
  /** Requests a second; null: as many as it likes. */
  readonly rateLimit: number | null;
}
