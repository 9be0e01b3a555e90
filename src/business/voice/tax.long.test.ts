/** Many cheap calls: the tax that was charged is the tax that is booked, to the last digit. */
import { beforeAll, expect, test } from 'vitest';
import { useTelephony } from '../../../test/support/use-telephony.ts';
import { verifyLedger } from '../money/ledger-checks.ts';
import { setVoiceRate } from './rates.ts';
import { simulateInbound } from './simulate.ts';

const { house, telephony, voice } = useTelephony();
beforeAll(async () => {
  await setVoiceRate(house.env, { kind: 'pstn_forwarding', prefix: '4420', perMinute: '0.02', connectionFee: '0' });
});

test('a thousand minutes at 0.02 and 21 % cost 20.00 and 4.20 of tax, and the books say so', async () => {
  const accountId = await telephony.account({ balance: '100', vatRate: '21' });
  const trunkId = await telephony.pstnTrunk(accountId, '442037691880');
  const { number: didNumber } = await telephony.did(accountId, { voice_in_trunk_id: trunkId });
  const script = { outcomes: [{ code: 200 }], talk_seconds: 60 };
  for (let call = 0; call < 1000; call++) await simulateInbound(voice, { didNumber, srcNumber: '15550100' }, script);
  const { rows } = await house.env.pool.query(
    `select e.ledger, sum(e.amount)::text as amount
     from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
     where t.cause = 'call_charge' and t.account_id = $1 group by 1 order by 1`,
    [accountId],
  );
  expect(rows).toEqual([
    { ledger: 'customer', amount: '-24.2000' },
    { ledger: 'revenue', amount: '20.0000' },
    { ledger: 'vat', amount: '4.2000' },
  ]);
  const proofs = (await verifyLedger(house.env.db)).filter(({ name }) => name.includes('tax'));
  expect(proofs.length).toBeGreaterThan(0);
  expect(proofs.filter(({ offences }) => offences.length > 0)).toEqual([]);
});
