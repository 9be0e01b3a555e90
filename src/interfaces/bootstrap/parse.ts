/** The bootstrap file: its types, and how it is read and checked. */
import { readFile } from 'node:fs/promises';
import {
  both,
  decimal,
  type Field,
  FieldError,
  flag,
  integer,
  listOf,
  mustBe,
  nullable,
  object,
  oneOf,
  text,
  unique,
  uuid,
  withDefault,
} from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { checkAllowedIps } from '../../business/accounts/allowed-ips.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import { roleNames } from '../operator/roles.ts';
import { knownVersions } from '../platform/versions/versions.ts';
import { type AccountSeeds, accountSeeds, type StockSeed, stockSeeds } from './seeds.ts';

export async function readBootstrapFile(file: string): Promise<BootstrapDocument> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new OperatorError(`The bootstrap file ${file} cannot be read: ${reason}.`);
  }
  try {
    return parseBootstrap(JSON.parse(content));
  } catch (error) {
    if (error instanceof FieldError) throw new OperatorError(`In the bootstrap file ${file}: ${error.message}.`);
    if (error instanceof SyntaxError)
      throw new OperatorError(`The bootstrap file ${file} is not JSON: ${error.message}.`);
    throw error;
  }
}

export function parseBootstrap(value: unknown): BootstrapDocument {
  return named('the file', () => readDocument(value));
}

function named<T>(whole: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // Do not repeat the value: it may be a secret.
    throw error instanceof FieldError ? new FieldError(`${error.path || whole} ${error.message}`) : error;
  }
}

export const accountName = text(/^(?=.*\S).{1,255}$/s, 'a string of 1 to 255 characters');
export const amount = decimal('a decimal number in a string, such as "1000.00"');
const httpUrl = text(/^https?:\/\/[^\s/]+\S*$/i, 'an http or https address');

const application = object<BootstrapOtpApplication>({
  name: accountName,
  key: uuid,
  secret: text(/^[\w-]{42}[AEIMQUYcgkosw048]$/, '32 bytes as 43 characters of unpadded base64url'),
  minimum_mode: withDefault(oneOf('public', 'basic', 'application'), 'public'),
  callback_url: nullable(httpUrl),
  code_timeout: withDefault(integer(60, 600), 300),
  code_length: withDefault(integer(4, 8), 6),
});

const apiKey = object<BootstrapAccount['api_keys'][number]>({
  name: accountName,
  key: both(
    text(/^.{16,}$/s, 'a string of at least 16 characters'),
    text(/^[\x21-\x7e][\x20-\x7e]{14,254}[\x21-\x7e]$/, 'at most 256 characters that an HTTP header can carry'),
  ),
});

const password = text(/^.{12,}$/s, 'a string of at least 12 characters');

/** Default balance. Sandbox money is not real, so a new account can try things out. */
export const defaultBalances = { production: '0.00', sandbox: '1000.00' } as const;

type Members<T> = { [K in keyof T]: Field<T[K]> };

export const accountMembers = (balance: string): Members<Omit<BootstrapAccount, keyof AccountSeeds>> => ({
  name: accountName,
  email: nullable(text(/^[^\s@]+@[^\s@]+$/, 'an e-mail address')),
  password: nullable(password),
  balance: withDefault(amount, balance),
  credit: withDefault(amount, '0.00'),
  api_version: nullable(oneOf(...knownVersions)),
  api_keys: withDefault(unique(listOf(apiKey), 'key'), []),
  callback_secret: nullable(text(/./s, 'a string, or null')),
  call_events: nullable(object({ url: httpUrl, gzip: withDefault(flag, false) })),
  otp_applications: withDefault(unique(unique(listOf(application), 'key'), 'name'), []),
});

const seededAccount = object<BootstrapAccount>({ ...accountMembers(defaultBalances.sandbox), ...accountSeeds });

const plainAccount: Field<BootstrapAccount> = object(accountMembers(defaultBalances.production));

const network: Field<string> = (value) => {
  try {
    const [checked] = typeof value === 'string' ? checkAllowedIps([value]) : [];
    if (checked !== undefined) return checked;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
  }
  throw mustBe('an IP address or network such as "192.0.2.0/24"', value);
};

const carrier = object<BootstrapCarrier>({ name: accountName, addresses: listOf(network) });

const operator = object<BootstrapOperator>({
  email: text(/^[^\s@]+@[^\s@]+$/, 'an e-mail address'),
  password: nullable(password),
  role: withDefault(oneOf(...roleNames), 'owner'),
  api_keys: withDefault(unique(listOf(apiKey), 'key'), []),
});

const sectionMembers = (account: Field<BootstrapAccount>): Members<Omit<BootstrapSection, 'numbers'>> => ({
  operators: withDefault(unique(listOf(operator), 'email'), []),
  catalogue: nullable(oneOf('demo')),
  carriers: withDefault(unique(listOf(carrier), 'name'), []),
  accounts: withDefault(unique(unique(listOf(account), 'name'), 'email'), []),
});

const nothing: BootstrapSection = { catalogue: null, carriers: [], accounts: [], operators: [] };

/** Production has no seeds: what customers own there was bought. */
const readDocument = object<BootstrapDocument>({
  production: withDefault<BootstrapSection>(object(sectionMembers(plainAccount)), nothing),
  sandbox: withDefault<BootstrapSection>(object({ ...sectionMembers(seededAccount), numbers: stockSeeds }), nothing),
});

type BootstrapDocument = Record<EnvironmentName, BootstrapSection>;

export interface BootstrapSection {
  catalogue: 'demo' | null;
  carriers: BootstrapCarrier[];
  /** Numbers for sale beside the catalogue's; a sandbox only. */
  numbers?: StockSeed[] | undefined;
  accounts: BootstrapAccount[];
  operators: BootstrapOperator[];
}

export interface BootstrapOperator {
  email: string;
  password: string | null;
  role: OperatorRole;
  api_keys: { name: string; key: string }[];
}

/** A carrier that sends calls from these addresses and networks. */
export interface BootstrapCarrier {
  name: string;
  addresses: string[];
}

export interface BootstrapAccount extends AccountSeeds {
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
