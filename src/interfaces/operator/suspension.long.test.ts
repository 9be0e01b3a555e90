/** Suspending, resuming and closing accounts: requests, calls, renewals, and what the audit log keeps. */
import { describe, expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { addOperator, type TestOperator } from '../../../test/support/operator.ts';
import { getBalance, getDid } from '../../../test/support/requests.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';
import { held, useInboundCalls } from '../../../test/support/use-inbound-calls.ts';
import { dryRunInbound } from '../../business/voice/inbound/dry-run.ts';
import { resumeAccount, suspendAccount } from './accounts.writes.ts';
import { byBootstrap } from './act.ts';

const shop = useOpened(() => openShop());
const operator = useOpened(async () => ({ ...(await addOperator(shop)), close: async () => undefined }));

const patch = (id: string, attributes: object, { client }: Pick<TestOperator, 'client'> = operator) =>
  client.patch(`/accounts/${id}`, { data: { type: 'accounts', id, attributes } });

describe('a suspended account', () => {
  test('gets 403 with the reason at once, and its colleagues do not', async () => {
    const one = await shop.addAccount({ name: 'One' });
    const other = await shop.addAccount({ name: 'Other' });
    expect((await one.client.get('/countries')).status).toBe(200);
    const suspended = await patch(one.accountId, { suspended: true, reason: 'Unpaid invoice 7' });
    expect(suspended.resource.attributes).toMatchObject({ suspended: true, suspension_reason: 'Unpaid invoice 7' });
    await expect.poll(async () => (await one.client.get('/countries')).status).toBe(403);
    expect((await one.client.get('/orders')).errors).toMatchObject([{ code: '403', detail: 'Unpaid invoice 7' }]);
    expect((await other.client.get('/countries')).status).toBe(200);

    await patch(one.accountId, { suspended: false, reason: 'Paid' });
    await expect.poll(async () => (await one.client.get('/countries')).status).toBe(200);
    const { resources } = await operator.client.get(`/audit_entries?filter[account.id]=${one.accountId}`);
    expect(resources.map(({ attributes }) => [attributes.action, attributes.actor, attributes.reason])).toEqual([
      ['account.resumed', operator.email, 'Paid'],
      ['account.suspended', operator.email, 'Unpaid invoice 7'],
    ]);
    expect(resources[0]?.attributes).toMatchObject({ before: { suspended: true }, after: { suspended: false } });
  });

  test('needs a reason; a role without the right leaves everything as it was', async () => {
    const { accountId } = await shop.addAccount({ name: 'Kept' });
    expect((await patch(accountId, { suspended: true })).status).toBe(422);
    expect((await patch(accountId, { suspended: false })).status).toBe(422);
    const finance = await addOperator(shop, 'finance');
    expect((await patch(accountId, { suspended: true, reason: 'x', credit: '5' }, finance)).status).toBe(403);
    expect((await patch(accountId, { credit: '5' }, finance)).status).toBe(200);
    const support = await addOperator(shop, 'support');
    expect((await patch(accountId, { credit: '50' }, support)).status).toBe(403);
    const { attributes } = (await operator.client.get(`/accounts/${accountId}`)).resource;
    expect(attributes).toMatchObject({ suspended: false, credit: '5.0' });
  });

  test('renews as ever, or holds its renewals until it is resumed', async () => {
    const me = await shop.addOwner('10');
    const before = await getBalance(me.client);
    await patch(me.accountId, { suspended: true, reason: 'Checks', hold_renewals: true });
    const days = (Date.parse(me.expiresAt) - shop.clock.now().getTime()) / 1000 + 3 * 86_400;
    await advanceClock(shop.env, days);
    await patch(me.accountId, { suspended: false });
    await expect.poll(async () => (await me.client.get('/balance')).status).toBe(200);
    expect(await getBalance(me.client)).toBe(before);
    await runDueJobs(shop.env);
    const did = await getDid(me.client, me.id);
    expect(did).toMatchObject({ terminated: false });
    expect(Date.parse(String(did.expires_at))).toBeGreaterThan(shop.clock.now().getTime());
    expect(await getBalance(me.client)).not.toBe(before);
    await shop.expectCleanBooks();
  });

  test('that is closed cannot come back; its keys are revoked and its numbers end', async () => {
    const me = await shop.addOwner('10');
    const closed = await patch(me.accountId, { closed: true, reason: 'Asked to leave' });
    expect(closed.resource.attributes).toMatchObject({ closed: true, suspended: true });
    const history = await operator.client.get(
      `/number_history?filter[account.id]=${me.accountId}&filter[method]=staff`,
    );
    expect(history.resources.map(({ attributes }) => [attributes.number, attributes.action])).toEqual([
      [me.number, 'canceled'],
    ]);
    await expect.poll(async () => (await me.client.get('/balance')).status).toBe(401);
    expect((await patch(me.accountId, { suspended: false })).status).toBe(422);
    const [number] = (await operator.client.get(`/numbers?filter[account.id]=${me.accountId}`)).resources;
    expect(number?.attributes).toMatchObject({ number: me.number, state: 'terminated' });
    await shop.expectCleanBooks();
  });
});

describe('calls of a suspended account', () => {
  const { house, call, openCalls, routedNumber } = useInboundCalls();
  const acting = () => byBootstrap(house.env);

  test('are refused, and those that are up end or stay', async () => {
    const { accountId, number } = await routedNumber();
    await call(number, held);
    await suspendAccount(acting(), accountId, { reason: 'Fraud', endCalls: false });
    await runDueJobs(house.env);
    expect(await openCalls()).toBe(1);
    expect((await call(number)).call.disconnect).toMatchObject({ code: 403, reason: 'Account is suspended' });
    await suspendAccount(acting(), accountId, { reason: 'Fraud' });
    await runDueJobs(house.env);
    expect(await openCalls()).toBe(0);
    await resumeAccount(acting(), accountId);
    expect((await call(number)).status).toBe('completed');
  });

  test('the dry run decides as routing does and leaves nothing', async () => {
    const { accountId, number, trunkId } = await routedNumber({ name: 'hq' });
    const ask = () => dryRunInbound(house.env, { from: '15550100', to: number });
    expect(await ask()).toMatchObject({ accountId, refusal: null, trunks: [{ id: trunkId, name: 'hq' }] });
    expect(await openCalls()).toBe(0);
    await suspendAccount(acting(), accountId, { reason: 'Fraud' });
    expect(await ask()).toMatchObject({ refusal: { code: 403, reason: 'account_suspended' }, trunks: [] });
    expect(await dryRunInbound(house.env, { from: '1', to: '99000000009' })).toMatchObject({
      accountId: null,
      refusal: { code: 404, reason: 'unknown_number' },
    });
    const { rows } = await house.env.pool.query('select count(*)::int as n from cdrs_in where did_number = $1', [
      number,
    ]);
    expect(rows).toEqual([{ n: 0 }]);
  });
});
