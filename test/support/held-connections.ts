/** Holds connections of a pool as the requests of so many accounts: other work leaves some connections to requests. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { ClientPresence, runAsWork } from '../../src/engines/db/work.ts';

export class HeldConnections {
  readonly clients: PoolClient[] = [];

  async take(pool: Pool, count: number): Promise<void> {
    const request = { lane: 'verification', reads: false, waitedMs: 0, ended: false } as const;
    for (let n = 0; n < count; n++) {
      const work = { ...request, client: new ClientPresence(), accountId: randomUUID() };
      this.clients.push(await runAsWork(work, () => pool.connect()));
    }
  }

  release(): void {
    for (const client of this.clients.splice(0)) client.release();
  }
}
