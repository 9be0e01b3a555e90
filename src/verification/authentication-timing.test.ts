import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { createAccount } from '../accounts/accounts.ts';
import { newSecret } from './applications/application.ts';
import { createApplication } from './applications/create-application.ts';
import { type ApplicationDirectory, createApplicationDirectory } from './applications/directory.ts';
import { type AuthenticationInput, authenticate } from './authenticate.ts';
import { sign } from './signing.ts';

/** Whether an application's key exists shows neither in the work nor in the time of a refused request. */
let test: TestEnvironment;
let reads: string[];
let applications: ApplicationDirectory;
const keys = { known: '', guarded: '', unknown: '0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d' };
const machineNow = () => new Date(1767225601_000);

beforeAll(async () => {
  test = await createTestEnvironment();
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
afterAll(() => test.close());

/** Long, so that a digest left out would show. */
const body = Buffer.alloc(60_000, 'x');
const parts = { method: 'POST', contentType: 'application/json', body, timestamp: '1767225601' };

function wrong(key: string, mode: 'basic' | 'application'): AuthenticationInput {
  const signature = sign(newSecret(), { ...parts, path: '/' });
  const basic = `Basic ${Buffer.from(`${key}:${newSecret()}`).toString('base64')}`;
  return { ...parts, signedPath: '/', authorization: mode === 'basic' ? basic : `Application ${key}:${signature}` };
}
const refuse = (input: AuthenticationInput) =>
  expect(authenticate(input, { env: test.env, applications, machineNow, refuseReplays: false })).rejects.toThrow(
    'unauthorized',
  );

describe.each(['basic', 'application'] as const)('a refused %s request', (mode) => {
  it('reads the application once, whether it exists or not', async () => {
    for (const key of Object.values(keys)) {
      reads = [];
      await refuse(wrong(key, mode));
      expect(reads).toEqual([key]);
    }
  });

  it('takes the same time, whether it exists or not', async () => {
    const times = { known: [] as number[], guarded: [] as number[], unknown: [] as number[] };
    const names = ['known', 'guarded', 'unknown'] as const;
    for (let round = 0; round < 300; round++) {
      for (const name of names) {
        const input = wrong(keys[name], mode);
        const began = performance.now();
        await refuse(input);
        times[name].push(performance.now() - began);
      }
    }
    // The lower quartile: what the machine does besides falls on the upper ones.
    const [known, guarded, unknown] = names.map((name) => times[name].sort((a, b) => a - b)[75] ?? Number.NaN);
    expect(Number(unknown) / Number(known)).toBeGreaterThan(0.7);
    expect(Number(unknown) / Number(known)).toBeLessThan(1.4);
    expect(Number(guarded) / Number(known)).toBeGreaterThan(0.7);
    expect(Number(guarded) / Number(known)).toBeLessThan(1.4);
  });
});
