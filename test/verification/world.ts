/**
 * Several processes of the program on one database, with one account, its OTP application and what takes its messages.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { EnvironmentName } from '../../src/engines/environment.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';
import { VerificationClient } from '../support/verification-client.ts';
import { type Carrier, openCarrier, serverKey } from './carrier.ts';

export interface World {
  /** One more process, not yet waited for. */
  spawn(variables?: Record<string, string>): Promise<Trunkline>;
  /** One more process; it answers at `url`. */
  start(variables?: Record<string, string>): Promise<Running>;
  /** What left the house for a number: the sandbox's inbox, or what the provider was sent. */
  messages(destination: string): Promise<{ code: string }[]>;
  /** Waits until a record has left `not dispatched` behind. */
  settled(id: string): Promise<Record<string, unknown>>;
  /** The fees that the ledger has for a record. */
  fees(id: string): Promise<string[]>;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface Running {
  process: Trunkline;
  url: string;
  client: VerificationClient;
}

const credentials = { key: '7c9e6679-7425-40de-944b-e07fc1f90ae7', secret: Buffer.alloc(32, 5).toString('base64url') };

/** The sandbox, or production with a carrier of messages behind it; for `calls` the test adds the carriers. */
export async function openVerificationWorld(delivery: 'inbox' | 'calls' | Carrier): Promise<World> {
  const name: EnvironmentName = delivery === 'inbox' ? 'sandbox' : 'production';
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-verification-'));
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // At the end the database is dropped, perhaps before an ended connection is gone.
  pool.on('error', () => undefined);
  const bootstrap = path.join(folder, 'bootstrap.json');
  const account = { name: 'Acme', balance: '1000.00', otp_applications: [{ name: 'web', ...credentials }] };
  await writeFile(bootstrap, JSON.stringify({ [name]: { accounts: [account] } }));
  const carrier = delivery === 'inbox' || delivery === 'calls' ? null : await openCarrier(delivery, pool);
  const running: Trunkline[] = [];
  const query = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;

  const spawn = async (variables: Record<string, string> = {}): Promise<Trunkline> => {
    const place = await mkdtemp(path.join(folder, 'process-'));
    const process = startTrunkline(place, {
      [name === 'production' ? 'DATABASE_URL' : 'SANDBOX_DATABASE_URL']: database.url,
      [name === 'production' ? 'TRUNKLINE_SANDBOX_PORT' : 'TRUNKLINE_PORT']: 'off',
      TRUNKLINE_SERVER_KEY: serverKey.reveal(),
      TRUNKLINE_BOOTSTRAP: bootstrap,
      TRUNKLINE_OUTBOUND_ALLOW: '127.0.0.0/8',
      ...variables,
    });
    running.push(process);
    return process;
  };

  return {
    query,
    spawn,
    async start(variables) {
      const process = await spawn(variables);
      const url = (await process.ready()).environments[name]?.url ?? '';
      return { process, url, client: new VerificationClient(url, credentials) };
    },
    async messages(destination) {
      if (carrier !== null) return carrier.messages().filter((message) => message.destination === destination);
      const rows = await query('select code from sandbox_messages where destination = $1', [destination]);
      return rows.map((row) => ({ code: String(row.code) }));
    },
    async settled(id) {
      for (let turn = 0; turn < 600; turn++) {
        const [row] = await query('select * from verifications where id = $1', [id]);
        if (row !== undefined && (row.status !== 'pending' || row.dispatched_at !== null)) return row;
        await pause(50);
      }
      throw new Error(`verification ${id} was not dispatched`);
    },
    async fees(id) {
      const rows = await query(
        `select e.amount from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
         where t.cause = 'verification_fee' and t.reference = $1 and e.ledger = 'customer'`,
        [id],
      );
      return rows.map((row) => String(row.amount));
    },
    async close() {
      await Promise.all(running.map((process) => process.stop('SIGKILL')));
      await pool.end();
      await carrier?.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
