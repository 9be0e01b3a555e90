/** Delivery in production: SMPP, fees, what is not kept. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSmsc, type Smsc } from '../../../../test/support/smsc.ts';
import { addSmsc, codeIn, useDelivery } from '../../../../test/support/use-delivery.ts';
import { startVerificationServer } from '../../../../test/support/verification-server.ts';
import { updateAccount } from '../../../business/accounts/accounts.ts';
import { setRate } from '../prices.ts';
import { closeProviders } from './opened-providers.ts';

const { server, client, fresh, started } = useDelivery();

describe('an SMPP provider', () => {
  let smsc: Smsc;
  beforeEach(async () => {
    smsc = await addSmsc(server, 'smsc', 1);
  });
  afterEach(() => smsc.close());

  it('delivers the code', async () => {
    const { id, destination } = await started();
    expect(smsc.messages).toMatchObject([{ destination, source: 'AcmeDE', dataCoding: 0 }]);
    expect((await client.report(id, codeIn(smsc.messages[0]?.text ?? ''))).body.data?.status).toBe('verified');
  });

  it('reports later that a message could not be delivered', async () => {
    const { id } = await started();
    expect(await smsc.receipt(smsc.messages[0]?.id ?? '', 'UNDELIV')).toBe(0);
    expect((await client.status(id)).body.data).toMatchObject({ status: 'failed', error_code: 'dispatch_failed' });
  });

  it('that is down fails over to the next', async () => {
    const second = await addSmsc(server, 'backup', 2);
    await smsc.close();
    try {
      expect((await started()).state?.status).toBe('pending');
      expect(second.messages).toHaveLength(1);
    } finally {
      await closeProviders(server.env);
      await second.close();
      smsc = await openSmsc();
    }
  });
});

describe('production', () => {
  it('fails the dispatch while no provider is set up, and of every call', async () => {
    expect((await started()).state?.error_code).toBe('dispatch_failed');
    expect((await started(fresh(), { delivery_method: 'callout' })).state?.error_code).toBe('dispatch_failed');
  });

  it('refuses a text message to a landline, and shows the operator why', async () => {
    const refused = await client.start({ destination: '493012345678', delivery_method: 'sms' });
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([422, 'destination_not_supported_for_channel']);
    expect(
      await server.env.db.selectFrom('verification_blocked_starts').select(['destination', 'reason']).execute(),
    ).toEqual([{ destination: '493012345678', reason: 'landline' }]);
  });
});

describe('the fee', () => {
  let smsc: Smsc;
  beforeEach(async () => {
    smsc = await addSmsc(server, 'smsc', 1);
    await updateAccount(server.env, server.accountId, { vatRate: '20' });
    await setRate(server.env, { per: 'verification', deliveryMethod: 'sms', prefix: '49151', amount: '0.0375' });
  });
  afterEach(() => smsc.close());

  const balance = async () =>
    (
      await server.env.db
        .selectFrom('accounts')
        .select('balance')
        .where('id', '=', server.accountId)
        .executeTakeFirstOrThrow()
    ).balance;

  it('is quoted with VAT by the longest prefix and charged once, when the number is verified', async () => {
    const before = Number(await balance());
    const { id, state } = await started();
    expect(state?.fee).toBe('0.045');
    const code = codeIn(smsc.messages[0]?.text ?? '');
    await client.report(id, code === '000000' ? '111111' : '000000');
    expect(Number(await balance())).toBe(before);
    await client.report(id, code);
    await client.report(id, code);
    expect((before - Number(await balance())).toFixed(4)).toBe('0.0450');
  });

  it('is quoted on failed and denied records too, and never charged for them', async () => {
    const before = await balance();
    const open = await server.client({}, 'public');
    const { body } = await open.start({ destination: fresh(), delivery_method: 'sms' });
    expect(body.data).toMatchObject({ status: 'denied', fee: '0.045' });
    expect(await balance()).toBe(before);
  });

  it('that the balance cannot pay is 402', async () => {
    const poor = await startVerificationServer({ name: 'production', balance: '0.0499' });
    try {
      const refused = await (await poor.client()).start({ destination: fresh(), delivery_method: 'sms' });
      expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([402, 'balance_insufficient']);
    } finally {
      await poor.close();
    }
  });
});
