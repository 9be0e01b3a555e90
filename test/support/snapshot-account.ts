/** An account with a row in nearly every table that a copy has, and what must be found again or never be found. */
import type { Readable } from 'node:stream';
import { createAccount } from '../../src/business/accounts/accounts.ts';
import { createApiKey } from '../../src/business/accounts/api-keys.ts';
import { parseSeed } from '../../src/interfaces/bootstrap/parse-seed.ts';
import { applySeed } from '../../src/interfaces/bootstrap/seed.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { createApplication } from '../../src/interfaces/verification/application.writes.ts';

interface SnapshotAccount {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly application: { key: string; secret: string };
  readonly number: string;
  readonly sipPassword: string;
}

/** `tail` are the last four digits of its number. */
export async function makeSnapshotAccount(env: WholeEnvironment, name: string, tail: string): Promise<SnapshotAccount> {
  const apiKey = `${name}-key-0123456789`;
  const email = `${name.toLowerCase()}@example.com`;
  const { id } = await createAccount(env, { name, email, balance: '50.00', callbackSecret: `${name}-callbacks` });
  await createApiKey(env, id, { name: 'main', key: apiKey });
  const { key, secret } = await createApplication(env, id, { name: 'app' });
  const number = `44207946${tail}`;
  const records = {
    numbers: [{ country: 'GB', prefix: '20', number }],
    calls: [{ number, src_number: '1', at: '2024-02-03T04:05:06Z' }],
    verifications: [{ application: 'app', destination: `49151123${tail}`, code: '123456' }],
  };
  await applySeed(env, await parseSeed({ accounts: [records] }, name), id);
  const sipPassword = `${name}SipPassword`;
  const configuration = {
    host: 'sip.example.net',
    codec_ids: [9],
    auth_enabled: true,
    auth_user: 'u',
    auth_password: sipPassword,
  };
  await env.pool.query(
    `insert into voice_in_trunks (account_id, name, configuration_type, configuration, created_at)
     values ($1, $2, 'sip_configurations', $3, now())`,
    [id, `${name} office`, JSON.stringify(configuration)],
  );
  return { id, name, apiKey, application: { key, secret: secret.reveal() }, number, sipPassword };
}

export async function bytesOf(stream: Readable | null): Promise<Buffer> {
  if (stream === null) throw new Error('there is no file');
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
