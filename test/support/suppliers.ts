/** Two installations: a wholesale shop that serves `/v3`, and a retail shop whose supplier it is. */
import { openSupplier } from '../../src/business/suppliers/open-supplier.ts';
import type { Supplier } from '../../src/business/suppliers/supplier.ts';
import { createSupplier, type SupplierSettings } from '../../src/business/suppliers/suppliers.ts';
import { runDueJobs } from './environment.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';
import { openShop, type Shop } from './shop.ts';

interface Buying {
  /** Its first account is that of the retail side. */
  readonly wholesale: Shop & { settle(): Promise<void> };
  readonly retail: TestServer;
  readonly supplierId: string;
  readonly supplier: Supplier;
  /** The key of the retail side's account there. */
  readonly key: string;
  /** Another supplier of the retail side. */
  addSupplier(settings?: Partial<SupplierSettings>): Promise<string>;
  close(): Promise<void>;
}

/** Databases of tests are copies of one: each gets a name of its own. */
async function nameInstallation({ env }: Pick<TestServer, 'env'>): Promise<void> {
  await env.pool.query('update environment_state set installation = gen_random_uuid()');
}

/** The retail side has no catalogue of its own. */
export async function openBuyingShop(options: TestServerOptions = {}): Promise<Buying> {
  const wholesale = await openShop({ account: { balance: '100' } });
  const retail = await startTestServer({ account: { balance: '1000' }, ...options });
  await nameInstallation(wholesale);
  await nameInstallation(retail);
  const { key } = wholesale;
  let added = 0;
  const addSupplier = (settings: Partial<SupplierSettings> = {}) => {
    added += 1;
    const usual = { name: `Supplier ${added}`, url: `${wholesale.url}/v3`, apiKey: key, markupPercent: '20' };
    return createSupplier(retail.env, { ...usual, countries: ['GB', 'DE', 'US'], ...settings });
  };
  const supplierId = await addSupplier();
  return {
    ...{ retail, key, supplierId, addSupplier, supplier: await openSupplier(retail.env, supplierId) },
    wholesale: { ...wholesale, settle: () => runDueJobs(wholesale.env) },
    close: async () => {
      await retail.close();
      await wholesale.close();
    },
  };
}
