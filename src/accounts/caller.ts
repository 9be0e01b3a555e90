/** Who makes a request: an account, by one of its keys. */
import type { Features } from './features.ts';
import type { Limits } from './limits.ts';
import type { Secret } from './secret.ts';

export interface Caller {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** The key itself, which signs callbacks while the account has no callback secret. */
  readonly apiKey: Secret;
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
