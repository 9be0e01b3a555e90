/**
 * Requests made from the documents of all interfaces, half of them spoiled: every response is one that is documented,
 * nothing of another customer changes, and the books balance. FUZZ_SEED repeats the draws; `npm run fuzz` runs longer.
 */
import { expect, test } from 'vitest';
import { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import { operatorDocument } from '../../src/interfaces/operator/openapi.ts';
import { panelDocument } from '../../src/interfaces/panel/openapi.ts';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import { createApplication } from '../../src/interfaces/verification/application.writes.ts';
import type { ApiClient } from '../support/client.ts';
import { runDueJobs } from '../support/environment.ts';
import { addOperator } from '../support/operator.ts';
import { login, PanelClient } from '../support/panel-client.ts';
import { openShop } from '../support/shop.ts';
import { useOpened } from '../support/use.ts';
import { type CampaignResult, runCampaign } from './campaign.ts';

const requests = Number(process.env.FUZZ_REQUESTS ?? 17_000);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const patience = 120_000 + requests * 50;

const shop = useOpened(() => openShop({ account: { ...login, balance: '100000' } }));

/** Everything that another customer sees of its own. */
async function belongings(client: ApiClient): Promise<unknown> {
  const paths = ['/dids', '/orders', '/voice_in_trunks', '/balance', '/did_reservations', '/addresses', '/did_history'];
  return Promise.all(paths.map(async (path) => (await client.get(path)).body));
}

/** Every layer was reached, and all responses were documented ones. */
function expectDocumented({ faults, statuses }: CampaignResult, reached: readonly number[]): void {
  expect(faults).toEqual([]);
  for (const status of reached) expect([status, (statuses.get(status) ?? 0) > 5]).toEqual([status, true]);
}

test(
  `customers (FUZZ_SEED=${seed})`,
  async () => {
    await shop.stock('london', 50);
    await shop.buyDids('london', 5);
    const owner = await shop.addOwner('100');
    const before = await belongings(owner.client);
    const { key, secret } = await createApplication(shop.env, shop.accountId, { name: 'fuzz' });
    const basic = `Basic ${Buffer.from(`${key}:${secret.reveal()}`).toString('base64')}`;
    // What worlds, snapshots and the clock do takes minutes, and an ordered fault is one.
    const tooLong = /\/sandbox\/v1\/(worlds|snapshots|clock|faults|seed)/;
    const result = await runCampaign(
      shop.app,
      {
        document: openApiDocument(shop.env, shop.url),
        headersFor: (path) => (path.startsWith('/api/v1') ? { authorization: basic } : { 'api-key': shop.key }),
        leavesOut: (operation) => tooLong.test(operation) || /\/events$|\/listen/.test(operation),
        random: new SeededRandom(seed),
      },
      Math.round(requests * 0.6),
    );
    expectDocumented(result, [200, 201, 204, 400, 404, 422]);
    await runDueJobs(shop.env);
    expect(await belongings(owner.client)).toEqual(before);
    await shop.expectCleanBooks();
  },
  patience,
);

test(
  `members in the panel (FUZZ_SEED=${seed})`,
  async () => {
    const panel = new PanelClient(shop.url);
    await panel.signIn();
    // They end the session, or what may be done in it.
    const ending = /^\w+ \/panel\/v1\/(session|login|acting|members|invitations)|\/events$/;
    const result = await runCampaign(
      shop.app,
      {
        document: panelDocument(shop.env, shop.url),
        headersFor: () => ({ cookie: panel.cookie, 'x-trunkline-panel': '1', 'sec-fetch-site': 'same-origin' }),
        leavesOut: (operation) => ending.test(operation),
        random: new SeededRandom(seed + 1),
      },
      Math.round(requests * 0.2),
    );
    expectDocumented(result, [200, 400, 404, 422]);
  },
  patience,
);

test(
  `operators (FUZZ_SEED=${seed})`,
  async () => {
    const operator = await addOperator(shop);
    const result = await runCampaign(
      shop.app,
      {
        document: operatorDocument(shop.env, shop.url),
        headersFor: () => ({ 'api-key': operator.key }),
        // They would lock this operator out, or send to other machines.
        leavesOut: (operation) => /\/(operators|operator_keys|peer_tests)|\/events$/.test(operation),
        random: new SeededRandom(seed + 2),
      },
      Math.round(requests * 0.2),
    );
    expectDocumented(result, [200, 400, 404, 422]);
    await runDueJobs(shop.env);
    await shop.expectCleanBooks();
  },
  patience,
);
