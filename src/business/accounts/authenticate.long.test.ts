/** API keys: who is let in, and what is kept in memory until the database says it changed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import type { Environment } from '../../engines/environment.ts';
import { createAccount, updateAccount } from './accounts.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
import { createAuthenticator } from './authenticate.ts';

let processes: Processes;
let one: Environment;
let accountId: string;
beforeEach(async () => {
  processes = await createProcesses();
  one = await processes.start();
  accountId = (await createAccount(one, { name: 'Acme' })).id;
});
afterEach(() => processes.close());

const home = '127.0.0.1';

describe('an API key', () => {
  it('is shown once and stored as a hash with a prefix', async () => {
    const { key } = await createApiKey(one, accountId, { name: 'ci' });
    expect(key).toMatch(/^tl_sandbox_[0-9A-Za-z]{32}$/);
    const [stored] = await listApiKeys(one, accountId);
    expect(stored).toMatchObject({ name: 'ci', prefix: key.slice(0, 15), accountName: 'Acme', revokedAt: null });
    const { rows } = await one.pool.query('select * from api_keys');
    expect(JSON.stringify(rows)).not.toContain(key.slice(15));
  });

  it('may be given, if it is long enough and new', async () => {
    expect((await createApiKey(one, accountId, { name: 'a', key: 'sixteen chars ok' })).key).toBe('sixteen chars ok');
    await expect(createApiKey(one, accountId, { name: 'b', key: 'sixteen chars ok' })).rejects.toThrow(
      'exists already',
    );
    await expect(createApiKey(one, accountId, { name: 'c', key: 'fifteen chars..' })).rejects.toThrow('16 to 256');
    await expect(createApiKey(one, accountId, { name: ' ' })).rejects.toThrow('needs a name');
    await expect(createApiKey(one, accountId, { name: 'd', rateLimit: 0 })).rejects.toThrow('at least 1');
    await expect(createApiKey(one, '7c9e6679-7425-40de-944b-e07fc1f90ae7', { name: 'e' })).rejects.toThrow(
      'no account',
    );
  });
});

describe('authentication', () => {
  it('tells who calls, with the features, limits and version of the account', async () => {
    await updateAccount(one, accountId, { features: { tls: false }, limits: { max_page_size: 300 }, readOnly: true });
    const { id, key } = await createApiKey(one, accountId, { name: 'ci', rateLimit: 7 });
    expect(await createAuthenticator(one)(key, home)).toMatchObject({
      accountId,
      actor: { kind: 'api_key', id },
      apiVersion: null,
      features: { tls: false, outbound: true },
      limits: { reservations: 10 },
      readOnly: true,
      maxPageSize: 300,
      rateLimit: 7,
    });
  });

  it('limits the rate in production by default, and not in the sandbox', async () => {
    const production = await processes.start('production');
    const { key } = await createApiKey(one, accountId, { name: 'ci' });
    expect((await createAuthenticator(one)(key, home))?.rateLimit).toBeNull();
    expect((await createAuthenticator(production)(key, home))?.rateLimit).toBe(20);
  });

  it('answers an unknown key, a revoked one and a foreign address alike', async () => {
    const authenticate = createAuthenticator(one);
    const revoked = await createApiKey(one, accountId, { name: 'old' });
    expect(await revokeApiKey(one, revoked.id)).toBe(accountId);
    const bound = await createApiKey(one, accountId, { name: 'office', allowedIps: ['192.0.2.9/24', '2001:db8::/32'] });
    expect(await authenticate('no such key at all', home)).toBeNull();
    expect(await authenticate(revoked.key, home)).toBeNull();
    expect(await authenticate(bound.key, home)).toBeNull();
    for (const ip of ['192.0.2.77', '::ffff:192.0.2.77', '2001:db8::1']) {
      expect((await authenticate(bound.key, ip))?.accountId).toBe(accountId);
    }
  });

  it('does not ask the database twice for the same key', async () => {
    const authenticate = createAuthenticator(one);
    const { key } = await createApiKey(one, accountId, { name: 'ci' });
    const first = await authenticate(key, home);
    expect(await authenticate(key, home)).toBe(first);
  });

  it('hears at once of a revocation or change in another process', async () => {
    const two = await processes.start();
    const authenticate = createAuthenticator(two);
    const { id, key } = await createApiKey(one, accountId, { name: 'ci' });
    expect((await authenticate(key, home))?.readOnly).toBe(false);
    await updateAccount(one, accountId, { readOnly: true });
    await expect.poll(async () => (await authenticate(key, home))?.readOnly).toBe(true);
    await revokeApiKey(one, id);
    await expect.poll(() => authenticate(key, home)).toBeNull();
    expect(await revokeApiKey(one, id)).toBeNull();
  });

  it('keeps nothing while it cannot hear, and keeps again afterwards', async () => {
    const two = await processes.start();
    const authenticate = createAuthenticator(two);
    const { id, key } = await createApiKey(one, accountId, { name: 'ci' });
    const other = await createApiKey(one, accountId, { name: 'other' });
    await authenticate(key, home);
    const lost = new Promise<void>((resolve) => two.changes.onLost(resolve));
    await one.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'trunkline changes' and datname = current_database()`,
    );
    await lost;
    await revokeApiKey(one, id);
    expect(await authenticate(key, home)).toBeNull();
    await expect.poll(() => two.changes.connected).toBe(true);
    const first = await authenticate(other.key, home);
    expect(first).not.toBeNull();
    expect(await authenticate(other.key, home)).toBe(first);
    await revokeApiKey(one, other.id);
    await expect.poll(() => authenticate(other.key, home)).toBeNull();
  });

  it('hears of nothing when only a balance changes', async () => {
    const authenticate = createAuthenticator(one);
    const { key } = await createApiKey(one, accountId, { name: 'ci' });
    const first = await authenticate(key, home);
    await one.db.updateTable('accounts').set({ credit: '5' }).where('id', '=', accountId).execute();
    await one.pool.query(`select pg_notify('trunkline', 'fence')`);
    await new Promise<void>((resolve) => {
      one.changes.on('fence', () => resolve());
      void one.pool.query(`select pg_notify('trunkline', 'fence')`);
    });
    expect(await authenticate(key, home)).toBe(first);
  });
});
