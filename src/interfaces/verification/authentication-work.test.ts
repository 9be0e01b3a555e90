/** Refused requests cost the same whatever is wrong. */
import { beforeAll, expect, it } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { type ApplicationDirectory, createApplicationDirectory, newSecret } from './application.ts';
import { createApplication } from './application.writes.ts';
import { type AuthenticationInput, authenticate } from './authenticate.ts';
import { sign, signingKey } from './authorization.ts';

/** Whether an application's key exists must not show in the work, and so in the time, of a refused request. */
const test = useOpened(() => createTestEnvironment());
let reads: string[];
let applications: ApplicationDirectory;
const keys = { known: '', guarded: '', unknown: '0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d' };
const machineNow = () => new Date(1767225601_000);

beforeAll(async () => {
  const account = await createAccount(test.env, { name: 'Acme' });
  keys.known = (await createApplication(test.env, account.id, { name: 'known' })).key;
  keys.guarded = (await createApplication(test.env, account.id, { name: 'g', minimumMode: 'application' })).key;
  const directory = createApplicationDirectory(test.env);
  applications = {
    kept: directory.kept,
    read: (key) => {
      reads.push(key);
      return directory.read(key);
    },
  };
  // Both are in memory, as those that are in use are.
  reads = [];
  for (const key of [keys.known, keys.guarded]) await applications.read(key);
});

/** Every proof of a signature digests the body, which counts it. */
let proofs = 0;
const body = Object.assign(Buffer.from('{}'), {
  every(this: Buffer, isSpace: (byte: number) => boolean) {
    proofs++;
    return [...this].every(isSpace);
  },
});
const parts = { method: 'POST', contentType: 'application/json', body, timestamp: '1767225601' };

function wrong(key: string, mode: 'public' | 'basic' | 'application'): AuthenticationInput {
  const authorization = {
    public: `Application ${key}`,
    basic: `Basic ${Buffer.from(`${key}:${newSecret()}`).toString('base64')}`,
    application: `Application ${key}:${sign(signingKey(newSecret()), { ...parts, path: '/' })}`,
  };
  return { ...parts, signedPath: '/', authorization: authorization[mode] };
}

// A public request of an application that takes public ones is right.
it.each([
  ['public', ['guarded', 'unknown'], 0],
  ['basic', ['known', 'guarded', 'unknown'], 0],
  ['application', ['known', 'guarded', 'unknown'], 2],
] as const)('a refused %s request costs the same for %j', async (mode, names, digests) => {
  for (const name of names) {
    const input = wrong(keys[name], mode);
    reads = [];
    proofs = 0;
    const by = { env: test.env, applications, machineNow, refuseReplays: false };
    await expect(authenticate(input, by)).rejects.toThrow('unauthorized');
    expect({ reads, proofs }).toEqual({ reads: [keys[name]], proofs: digests });
  }
});
