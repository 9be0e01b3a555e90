/**
 * The actor of a request within its account. The HTTP edge creates it; other code does not depend on the kind of actor.
 */
import type { Selectable } from 'kysely';
import type { Client } from '../../base/actor.ts';
import type { AccountRole, AccountsTable } from '../../engines/db/tables/accounts.ts';
import { type Features, type Limits, readFeatures, readLimits } from './features-and-limits.ts';
import type { Secret } from './secret.ts';

export interface Caller {
  readonly actor: Client;
  readonly accountId: string;
  /** Why an operator acts as this customer; null for everybody else. */
  readonly actingReason: string | null;
  /** What a person of the account may change; API keys are never limited by it. */
  readonly role: AccountRole;
  /** The session in the panel that the request came with. */
  readonly sessionId: string | null;
  /** The API key of the request, which signs callbacks if the account has no callback secret. Null for other actors. */
  readonly signingKey: Secret | null;
  /** What its key may do: areas such as `numbers`, or `numbers:read`; null means everything. */
  readonly scopes: readonly string[] | null;
  /** API version of requests without a version header; null until the first request fixes it. */
  readonly apiVersion: string | null;
  readonly features: Features;
  readonly limits: Limits;
  /** A read-only account may not order. */
  readonly readOnly: boolean;
  /** Why the account is suspended or closed; null if it is neither. */
  readonly suspensionReason: string | null;
  readonly maxPageSize: number;
  /** Requests per second; null means no limit. */
  readonly rateLimit: number | null;
}

/** What a caller needs of its account. */
export const callerColumns = [
  'accounts.id as account_id',
  'api_version',
  'features',
  'limits',
  'read_only',
  'suspension_reason',
] as const satisfies readonly string[];

type CallerRow = Pick<
  Selectable<AccountsTable>,
  'api_version' | 'features' | 'limits' | 'read_only' | 'suspension_reason'
> & {
  account_id: string;
};

export function asCaller(
  row: CallerRow,
  by: Pick<Caller, 'actor' | 'role' | 'sessionId' | 'signingKey' | 'rateLimit'> &
    Partial<Pick<Caller, 'scopes' | 'actingReason'>>,
): Caller {
  const limits = readLimits(row.limits);
  return {
    scopes: null,
    actingReason: null,
    ...by,
    accountId: row.account_id,
    apiVersion: row.api_version,
    features: readFeatures(row.features),
    limits,
    readOnly: row.read_only,
    suspensionReason: row.suspension_reason,
    maxPageSize: limits.max_page_size,
  };
}
