/** From which addresses calls are accepted. */
import { describe, expect, test, vi } from 'vitest';
import { createTestEnvironment } from '../../../../test/support/environment.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { unseal } from '../../accounts/secret.ts';
import { createSourceAdmission } from './admit-source.ts';
import { carrierSecretPurpose, createCarrier, removeCarrier, updateCarrier } from './carriers.ts';

const house = useOpened(() => createTestEnvironment());
useMade(async () => {
  await createCarrier(house.env, { name: 'wide', addresses: ['192.0.2.0/24', '2001:db8::/32'], priority: 1 });
  await createCarrier(house.env, { name: 'narrow', addresses: ['192.0.2.64/26'], priority: 9 });
  await createCarrier(house.env, { name: 'first', addresses: ['198.51.100.0/24'], prefixes: ['44', '4930'] });
  await createCarrier(house.env, { name: 'second', addresses: ['198.51.100.0/24'], priority: 20, prefixes: ['4'] });
  await createCarrier(house.env, { name: 'closed', addresses: ['203.0.113.5'], enabled: false });
  return {};
});

const shown = (result: Awaited<ReturnType<ReturnType<typeof createSourceAdmission>>>) =>
  'code' in result ? `${result.code} ${result.reason}` : (result.carrier?.name ?? 'without a carrier');

describe('a call is accepted from the addresses of carriers only', () => {
  test.each([
    ['192.0.2.5', '15550100', 'wide'],
    ['::ffff:192.0.2.5', '15550100', 'wide'],
    ['2001:db8::1', '15550100', 'wide'],
    ['192.0.2.65', '15550100', 'narrow'],
    ['198.51.100.1', '442011', 'first'],
    ['198.51.100.1', '493012', 'first'],
    ['198.51.100.1', '494012', 'second'],
    ['198.51.100.1', '15550100', '403 number_not_from_carrier'],
    ['203.0.113.5', '442011', '403 carrier_disabled'],
    ['203.0.113.6', '442011', '403 unlisted_source'],
    ['no address', '442011', '403 unlisted_source'],
    ['127.0.0.1', '442011', 'without a carrier'],
    ['::1', '442011', 'without a carrier'],
    ['::ffff:127.0.0.9', '442011', 'without a carrier'],
  ])('%s calling %s: %s', async (address, number, expected) => {
    expect(shown(await createSourceAdmission(house.env)(address, number))).toBe(expected);
  });

  test('production accepts nothing from loopback unless a carrier is there', async () => {
    const admit = createSourceAdmission({ ...house.env, name: 'production' });
    expect(await admit('127.0.0.1', '442011')).toEqual({
      code: 403,
      reason: 'unlisted_source',
      text: 'Source address belongs to no carrier',
    });
  });
});

test('a change of a carrier is heard', async () => {
  const admit = createSourceAdmission(house.env);
  const now = async () => shown(await admit('198.51.101.1', '442011'));
  expect(await now()).toBe('403 unlisted_source');
  await createCarrier(house.env, { name: 'new', addresses: ['198.51.101.0/24'] });
  await expect.poll(now).toBe('new');
  await updateCarrier(house.env, 'new', { enabled: false });
  await expect.poll(now).toBe('403 carrier_disabled');
  await removeCarrier(house.env, 'new');
  await expect.poll(now).toBe('403 unlisted_source');
});

test('carriers are read from the database once, until one changes', async () => {
  const reads = vi.spyOn(house.env.db, 'selectFrom');
  const admit = createSourceAdmission(house.env);
  await admit('192.0.2.5', '442011');
  await admit('192.0.2.6', '442011');
  expect(reads).toHaveBeenCalledTimes(1);
  reads.mockRestore();
});

test('the password of a carrier is stored sealed', async () => {
  const credentials = { username: 'us', password: 'a secret' };
  await createCarrier(house.env, { name: 'sealed', host: 'sip.example.net', credentials });
  const row = await house.env.db
    .selectFrom('carriers')
    .select(['username', 'sealed_password'])
    .where('name', '=', 'sealed')
    .executeTakeFirstOrThrow();
  expect(row.username).toBe('us');
  expect(row.sealed_password).not.toContain('a secret');
  expect(unseal(house.env.serverKey, carrierSecretPurpose, row.sealed_password ?? '')).toBe('a secret');
});
