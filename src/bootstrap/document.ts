/** The types of the bootstrap file: what an operator or a test wants in each environment. */
import type { EnvironmentName } from '../environment.ts';

export type BootstrapDocument = Record<EnvironmentName, BootstrapSection>;

export interface BootstrapSection {
  catalogue: 'demo' | null;
  accounts: BootstrapAccount[];
}

export interface BootstrapAccount {
  name: string;
  email: string | null;
  password: string | null;
  balance: string;
  credit: string;
  /** API version of the account on `/v3`; null means the newest. */
  api_version: string | null;
  api_keys: { name: string; key: string }[];
  callback_secret: string | null;
  call_events: { url: string; gzip: boolean } | null;
  otp_applications: BootstrapOtpApplication[];
}

export interface BootstrapOtpApplication {
  name: string;
  /** A UUID. */
  key: string;
  /** 32 bytes in unpadded base64url. */
  secret: string;
  minimum_mode: 'public' | 'basic' | 'application';
  callback_url: string | null;
  code_timeout: number;
  code_length: number;
}
