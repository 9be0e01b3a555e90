/** Two processes of the program on one replicated database, with a customer, his phone and a call that is up. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { vi } from 'vitest';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import { ApiClient } from '../support/client.ts';
import { openPhone, type TestPhone } from '../support/phones.ts';
import { type DatabaseNode, openReplicatedDatabase, type ReplicatedDatabase } from '../support/replicated-database.ts';
import { didItem, postOrder } from '../support/requests.ts';
import { type Goods, layOutGoods } from '../support/shop.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';
import { VerificationClient } from '../support/verification-client.ts';

export interface Site {
  readonly database: ReplicatedDatabase;
  readonly processes: readonly Trunkline[];
  readonly targets: readonly Target[];
  readonly goods: Goods;
  primary: DatabaseNode;
  query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>;
  /** What a command of the program says; it finds the primary as the servers do. */
  command(...words: string[]): Promise<{ code: number | string; output: string }>;
  call(): Promise<{ caller: TestPhone; trunk: TestPhone; number: string }>;
  close(): Promise<void>;
}

/** One process, as customers see it. */
export interface Target {
  readonly url: string;
  readonly codes: VerificationClient;
}

export const apiKey = 'the key of the failover drill';
const credentials = { key: '7c9e6679-7425-40de-944b-e07fc1f90ae7', secret: Buffer.alloc(32, 5).toString('base64url') };
const databaseName = 'trunkline';

export async function openSite(numbers: number, openDatabase = openReplicatedDatabase): Promise<Site> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-site-'));
  await chmod(folder, 0o755);
  const database = await openDatabase([databaseName]);
  const [primary] = database.nodes;
  if (primary === undefined) throw new Error('there are no servers');
  const account = {
    name: 'Acme',
    balance: '1000000',
    api_keys: [{ name: 'ci', key: apiKey }],
    otp_applications: [{ name: 'web', ...credentials }],
  };
  const bootstrap = path.join(folder, 'bootstrap.json');
  await writeFile(bootstrap, JSON.stringify({ sandbox: { accounts: [account] } }));
  const variables = {
    TRUNKLINE_PORT: 'off',
    SANDBOX_DATABASE_URL: database.url(databaseName),
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 7).toString('base64'),
    TRUNKLINE_BOOTSTRAP: bootstrap,
    TRUNKLINE_LOG_LEVEL: 'warn',
  };
  const processes: Trunkline[] = [];
  const targets: Target[] = [];
  let sipPort = 0;
  for (const sip of ['0', 'off']) {
    const place = await mkdtemp(path.join(folder, 'process-'));
    const process = startTrunkline(place, { ...variables, TRUNKLINE_SANDBOX_SIP_PORT: sip });
    processes.push(process);
    const { sandbox } = (await process.ready()).environments;
    const url = sandbox?.url ?? '';
    sipPort ||= sandbox?.sip?.udp ?? 0;
    targets.push({ url, codes: new VerificationClient(url, credentials) });
  }
  const pool = new pg.Pool({ connectionString: database.addressOf(primary, databaseName), max: 1 });
  pool.on('error', () => undefined);
  const goods = await layOutGoods(pool);
  await goods.stock('london', numbers);
  await pool.end();

  const phones: TestPhone[] = [];
  const phone = async (wishes: Parameters<typeof openPhone>[0]) => {
    const opened = await openPhone(wishes);
    phones.push(opened);
    return opened;
  };
  const site: Site = {
    database,
    processes,
    targets,
    goods,
    primary,
    query: (text) => database.ask(site.primary, text, databaseName),
    async command(...words) {
      const place = await mkdtemp(path.join(folder, 'command-'));
      const process = startTrunkline(place, variables, [...words, '--env', 'sandbox']);
      const code = await process.ended();
      return { code, output: process.stdout() + process.stderr() };
    },
    async call() {
      const trunk = await phone({});
      const number = await routeNumber(targets[0]?.url ?? '', goods, trunk.target.port);
      const server = { transport: 'UDP', address: '127.0.0.1', port: sipPort } as const;
      const caller = await phone({ server, user: '442071234567' });
      await caller.phone.call(number);
      await caller.until('answered');
      return { caller, trunk, number };
    },
    async close() {
      await Promise.all(phones.map(({ phone }) => phone.close()));
      await Promise.all(processes.map((process) => process.stop('SIGKILL')));
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return site;
}

/** Buys a number whose trunk is the phone at this port. */
async function routeNumber(url: string, goods: Goods, port: number): Promise<string> {
  const client = new ApiClient({ url, key: apiKey, document: openApiDocument({ name: 'sandbox' }, url) });
  await postOrder(client, [didItem({ sku_id: goods.skus.london, qty: 1 })]);
  const did = await vi.waitFor(
    async () => {
      const [bought] = (await client.get('/dids')).resources;
      if (bought === undefined) throw new Error('the order brought no number');
      return bought;
    },
    { timeout: 60_000 },
  );
  const configuration = { type: 'sip_configurations', attributes: { host: '127.0.0.1', port, codec_ids: [9, 10] } };
  const trunk = await client.post('/voice_in_trunks', {
    data: { type: 'voice_in_trunks', attributes: { name: 'phone', configuration } },
  });
  const voice_in_trunk = { data: { type: 'voice_in_trunks', id: trunk.resource.id } };
  await client.patch(`/dids/${did.id}`, { data: { type: 'dids', id: did.id, relationships: { voice_in_trunk } } });
  return String(did.attributes.number);
}
