/** Who asks: an account, through one of its API keys. */
export interface Caller {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** The account's own version of the interface. */
  readonly apiVersion: string;
  /** An operator has frozen the account: it may look, but not order. */
  readonly readOnly: boolean;
  readonly maxPageSize: number;
  readonly features: Readonly<Record<FeatureName, boolean>>;
  readonly limits: Readonly<Record<LimitName, number>>;
  /** Requests a second that the key may make; null means the environment's default. */
  readonly rateLimit: number | null;
}

/** What an operator can switch off for one account. */
export type FeatureName =
  | 'number_selection'
  | 'outbound'
  | 'emergency'
  | 'callbacks'
  | 'tls'
  | 'replace_cli'
  | 'randomize_cli';

/** What an operator can set for one account. */
export type LimitName = 'reservations' | 'reservation_seconds';
