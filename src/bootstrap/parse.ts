/** The bootstrap file's rules: each member, and what stands for it when it is left out. */
import { readFile } from 'node:fs/promises';
import { OperatorError } from '../operator-error.ts';
import { KNOWN_VERSIONS } from '../platform/versions/versions.ts';
import type { BootstrapAccount, BootstrapDocument, BootstrapOtpApplication, BootstrapSection } from './document.ts';
import { BootstrapError, both, flag, integer, list, nullable, object, oneOf, text, unique } from './reader.ts';

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
    if (error instanceof BootstrapError) throw new OperatorError(`In the bootstrap file ${file}: ${error.message}.`);
    if (error instanceof SyntaxError)
      throw new OperatorError(`The bootstrap file ${file} is not JSON: ${error.message}.`);
    throw error;
  }
}

export function parseBootstrap(value: unknown): BootstrapDocument {
  return readDocument(value, '');
}

const name = text(/^(?=.*\S).{1,255}$/s, 'a string of 1 to 255 characters');
const amount = text(/^\d{1,12}(\.\d{1,4})?$/, 'a decimal number in a string, such as "1000.00"');
const httpUrl = text(/^https?:\/\/[^\s/]+\S*$/i, 'an http or https address');

const application = object<BootstrapOtpApplication>({
  name: { read: name },
  key: { read: text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'a UUID') },
  secret: { read: text(/^[\w-]{42}[AEIMQUYcgkosw048]$/, '32 bytes as 43 characters of unpadded base64url') },
  minimum_mode: { read: oneOf('public', 'basic', 'application'), fallback: 'public' },
  callback_url: { read: nullable(httpUrl), fallback: null },
  code_timeout: { read: integer(60, 600), fallback: 300 },
  code_length: { read: integer(4, 8), fallback: 6 },
});

const apiKey = object<BootstrapAccount['api_keys'][number]>({
  name: { read: name },
  key: {
    read: both(
      text(/^.{16,}$/s, 'a string of at least 16 characters'),
      text(/^[\x21-\x7e][\x20-\x7e]{14,254}[\x21-\x7e]$/, 'at most 256 characters that an HTTP header can carry'),
    ),
  },
});

/** In the sandbox money is only played with: an account that says nothing of it can afford what it tries out. */
const untold = { production: '0.00', sandbox: '1000.00' } as const;

const account = (balance: string) =>
  object<BootstrapAccount>({
    name: { read: name },
    email: { read: nullable(text(/^[^\s@]+@[^\s@]+$/, 'an e-mail address')), fallback: null },
    password: { read: nullable(text(/^.{12,}$/s, 'a string of at least 12 characters')), fallback: null },
    balance: { read: amount, fallback: balance },
    credit: { read: amount, fallback: '0.00' },
    api_version: { read: nullable(oneOf(...KNOWN_VERSIONS)), fallback: null },
    api_keys: { read: unique(list(apiKey), 'key'), fallback: [] },
    callback_secret: { read: nullable(text(/./s, 'a string, or null')), fallback: null },
    call_events: {
      read: nullable(object({ url: { read: httpUrl }, gzip: { read: flag, fallback: false } })),
      fallback: null,
    },
    otp_applications: { read: unique(unique(list(application), 'key'), 'name'), fallback: [] },
  });

const section = (balance: string) =>
  object<BootstrapSection>({
    catalogue: { read: nullable(oneOf('demo')), fallback: null },
    accounts: { read: unique(unique(list(account(balance)), 'name'), 'email'), fallback: [] },
  });

const nothing: BootstrapSection = { catalogue: null, accounts: [] };

const readDocument = object<BootstrapDocument>({
  production: { read: section(untold.production), fallback: nothing },
  sandbox: { read: section(untold.sandbox), fallback: nothing },
});
