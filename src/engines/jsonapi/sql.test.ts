/** No statement without a tenant. */
import { expect, test } from 'vitest';
import { accountIdOf, manyIds, Params, tenantCondition } from './sql.ts';

test('a statement is kept within one account, or reaches every account', () => {
  const params = new Params();
  expect(tenantCondition({ tenant: { accountId: 'a' } }, 't.account_id', params)).toBe('t.account_id = $1');
  expect(params.values).toEqual(['a']);
  expect(tenantCondition({ tenant: 'every account' }, 't.account_id', params)).toBeNull();
});

test('without a tenant there is no statement', () => {
  expect(() => tenantCondition({ tenant: null }, 't.account_id', new Params())).toThrow('this request has none');
});

test('what is created belongs to one account', () => {
  expect(accountIdOf({ tenant: { accountId: 'a' } })).toBe('a');
  expect(() => accountIdOf({ tenant: 'every account' })).toThrow('within one account');
});

test('a few ids are sent as ten, none as none', () => {
  expect(manyIds([])).toEqual([]);
  expect(manyIds(['a', 'b'])).toEqual(['a', 'b', ...Array.from({ length: 8 }, () => 'a')]);
  const many = Array.from({ length: 12 }, (_, n) => String(n));
  expect(manyIds(many)).toBe(many);
});
