/** Random sequences of what can happen to numbers and money, against a small model of the rules. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifyLedger } from '../src/business/money/ledger-checks.ts';
import { type Real, steps } from './model/commands.ts';
import { Market } from './model/market.ts';
import { openShop } from './support/shop.ts';

const modelSeed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env.MODEL_RUNS ?? 4);
const balances = [6000, 1500];

test('reserve, order, cancel, terminate, restore, renew, import and the passing of time', {
  timeout: 600_000,
}, async () => {
  process.stdout.write(`\nmarket model: MODEL_SEED=${modelSeed}\n`);
  await fc.assert(
    fc.asyncProperty(fc.commands(steps(), { size: 'max', maxCommands: 40 }), async (commands) => {
      const shop = await openShop({ account: { balance: '60' } });
      try {
        const other = await shop.addAccount({ balance: '15' });
        const real: Real = { shop, clients: [shop.client, other.client] };
        const model = new Market(shop.clock.now().getTime(), [...balances]);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        const off = (await verifyLedger(shop.env.db)).filter(({ offences }) => offences.length > 0);
        expect(off).toEqual([]);
      } finally {
        await shop.close();
      }
    }),
    { seed: modelSeed, numRuns: runs, endOnFailure: true },
  );
});
