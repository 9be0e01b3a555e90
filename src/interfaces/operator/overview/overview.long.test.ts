/** Everything about one customer in one response, and nothing of anybody else. */
import { expect, test } from 'vitest';
import { addOperator } from '../../../../test/support/operator.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());
const operator = useMade(() => addOperator(shop, 'support'));

test('the overview of an account has its settings, counts, newest records, keys and notes', async () => {
  await shop.buyDids('london', 2);
  const other = await shop.addOwner('50');
  const account = { data: { type: 'accounts', id: shop.accountId } };
  const note = { data: { type: 'account_notes', attributes: { text: 'Pays late.' }, relationships: { account } } };
  expect((await operator.client.request('POST', '/account_notes', note)).status).toBe(201);
  const response = await operator.client.get(`/account_overview?account=${shop.accountId}`);
  expect(response.status, response.text).toBe(200);
  const overview = JSON.parse(response.text);
  expect(overview.account).toMatchObject({
    id: shop.accountId,
    api_version: expect.any(String),
    features: {},
    limits: {},
  });
  expect(overview.numbers).toMatchObject({ numbers: 2, calls_up: 0, deliveries_failing: 0, voice_in_trunks: 0 });
  expect(overview.orders).toMatchObject([{ status: 'completed' }]);
  expect(overview.api_keys).toHaveLength(1);
  expect(overview.notes).toMatchObject([{ text: 'Pays late.', actor: operator.email }]);
  expect(overview.audit[0]).toMatchObject({ action: 'account_note.created' });
  expect(response.text).not.toContain(other.number);
  expect((await operator.client.get('/account_overview?account=none')).status).toBe(404);
});
