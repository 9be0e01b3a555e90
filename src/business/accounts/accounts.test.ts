/** Accounts are created and changed, and mistakes are refused at their field. */
import { describe, expect, it } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { callbackSecretOf, createAccount, findAccount, listAccounts, updateAccount } from './accounts.ts';
import { verifyPassword } from './passwords.ts';

const test = useOpened(() => createTestEnvironment());

describe('creating an account', () => {
  it('keeps what was given, and has the defaults for the rest', async () => {
    const account = await createAccount(test.env, {
      name: 'Acme',
      email: 'ops@acme.test',
      balance: '1000.00',
      credit: '50',
      vatRate: '19',
      features: { emergency: false },
      limits: { reservations: 25 },
      callEvents: { url: 'http://127.0.0.1:9000/events', gzip: false },
    });
    expect(account).toMatchObject({
      name: 'Acme',
      balance: '1000.0000',
      credit: '50.0000',
      vatRate: '19.000',
      apiVersion: null,
      readOnly: false,
      features: { emergency: false, outbound: true },
      limits: { reservations: 25, reservation_seconds: 600 },
      callEvents: { url: 'http://127.0.0.1:9000/events', gzip: false },
      createdAt: test.clock.now(),
    });
    const { rows } = await test.env.pool.query(
      'select cause, reference from ledger_transactions where account_id = $1',
      [account.id],
    );
    expect(rows).toEqual([{ cause: 'opening_balance', reference: account.id }]);
  });

  it('is found by id, name and e-mail address', async () => {
    const account = await createAccount(test.env, { name: 'Findable', email: 'find@me.test' });
    for (const text of [account.id, account.id.toUpperCase(), 'Findable', 'find@me.test']) {
      expect((await findAccount(test.env, text))?.id).toBe(account.id);
    }
    expect(await findAccount(test.env, 'Nobody')).toBeNull();
    expect((await listAccounts(test.env)).map(({ name }) => name)).toContain('Findable');
  });

  it('hashes the password and encrypts the callback secret', async () => {
    const account = await createAccount(test.env, {
      name: 'Secretive',
      password: 'a long enough one',
      callbackSecret: 'sign with this',
    });
    const { rows } = await test.env.pool.query('select * from accounts where id = $1', [account.id]);
    expect(JSON.stringify(rows)).not.toMatch(/a long enough one|sign with this/);
    expect(await verifyPassword(rows[0].password_hash, 'a long enough one')).toBe(true);
    expect(await callbackSecretOf(test.env, account.id)).toBe('sign with this');
  });

  it.each([
    [{ name: ' ' }, 'needs a name'],
    [{ name: 'X', email: 'nobody' }, 'not an e-mail address'],
    [{ name: 'X', balance: '-1' }, 'not an amount'],
    [{ name: 'X', balance: '1.23456' }, 'not an amount'],
    [{ name: 'X', credit: 'lots' }, 'not an amount'],
    [{ name: 'X', password: 'short' }, 'at least 12'],
    [{ name: 'X', apiVersion: 'newest' }, 'not an API version'],
    [{ name: 'X', features: { flying: true } }, 'no feature'],
    [{ name: 'X', callEvents: { url: 'ftp://x', gzip: false } }, 'not a URL'],
  ])('refuses %j', async (input, text) => {
    await expect(createAccount(test.env, input)).rejects.toThrow(text);
    expect(await findAccount(test.env, 'X')).toBeNull();
  });

  it('refuses a name or an e-mail address that is taken', async () => {
    await createAccount(test.env, { name: 'Twice', email: 'twice@x.test' });
    await expect(createAccount(test.env, { name: 'Twice' })).rejects.toThrow('already an account named "Twice"');
    await expect(createAccount(test.env, { name: 'Other', email: 'twice@x.test' })).rejects.toThrow('twice@x.test');
  });
});

describe('changing an account', () => {
  it('changes only what is named', async () => {
    const { id } = await createAccount(test.env, { name: 'Changing', features: { tls: false }, callbackSecret: 's' });
    const changed = await updateAccount(test.env, id, {
      features: { outbound: false },
      limits: { max_page_size: 500 },
      readOnly: true,
    });
    expect(changed).toMatchObject({
      readOnly: true,
      features: { tls: false, outbound: false, emergency: true },
      limits: { max_page_size: 500, reservations: 10 },
      hasCallbackSecret: true,
    });
    expect((await updateAccount(test.env, id, { callbackSecret: null })).hasCallbackSecret).toBe(false);
  });

  it('says when there is no such account', async () => {
    await expect(updateAccount(test.env, '7c9e6679-7425-40de-944b-e07fc1f90ae7', {})).rejects.toThrow('no account');
  });
});
