/** The numbers that the panel offers for emergency calling are those that are not refused. */
import { beforeAll, expect, test } from 'vitest';
import { customer, submitAll } from '../../../test/support/emergency.ts';
import { PanelClient } from '../../../test/support/panel-client.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../test/support/registered-number.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { updateAccount } from '../../business/accounts/accounts.ts';

const server = useOpened(() => startTestServer());
beforeAll(() => loadPaperworkCatalogue(server));

test('numbers with a service, in a review or without the feature are not offered, nor those of other places with the first', async () => {
  const me = await customer(server);
  const login = { email: 'emergency@acme.test', password: 'calls for help at once' };
  await updateAccount(server.env, me.accountId, login);
  const browser = new PanelClient(server.url);
  await browser.signIn(login);
  const offered = async (query = '') =>
    (await browser.get(`/panel/v1/emergency_numbers${query}`)).resources.map(({ id }) => id).toSorted();
  await buyNumbers(server, me.client, 'London', 1);
  expect(await offered()).toEqual(me.dids.toSorted());
  expect(await offered(`?filter[together_with]=${me.dids[0]}`)).toEqual(me.dids.toSorted());
  const { accountId } = await customer(server);
  const foreign = server.env.db.selectFrom('dids').select('id').where('account_id', '=', accountId);
  const { id } = await foreign.executeTakeFirstOrThrow();
  expect(await offered(`?filter[together_with]=${id}`)).toEqual([]);
  await submitAll(me);
  expect(await offered()).toEqual([]);
  const [another = ''] = await buyNumbers(server, me.client, 'New York', 1);
  expect(await offered()).toEqual([another]);
});
