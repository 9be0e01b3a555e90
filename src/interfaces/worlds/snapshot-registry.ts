/** The rows of snapshots in the sandbox's database. */
import type { Selectable } from 'kysely';
import { machineClock } from '../../base/clock.ts';
import { violatedConstraint } from '../../base/violated-constraint.ts';
import type { WorldSnapshotsTable } from '../../engines/db/tables/worlds.ts';
import type { Environment } from '../../engines/environment.ts';

export type SnapshotRow = Selectable<WorldSnapshotsTable>;

export class SnapshotRegistry {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Before its database is made. False if the account already has a snapshot of this name. */
  async begin(
    id: string,
    { accountId, name, whole }: Pick<SnapshotRow, 'name' | 'whole'> & { accountId: string },
  ): Promise<boolean> {
    try {
      await this.#env.db
        .insertInto('world_snapshots')
        .values({ id, account_id: accountId, name, whole, created_at: machineClock.now(), complete: false })
        .execute();
      return true;
    } catch (error) {
      if (violatedConstraint(error) === 'world_snapshots_name') return false;
      throw error;
    }
  }

  /** Worlds can be made from it now. */
  async complete(id: string, clockOffsetMs: number): Promise<void> {
    await this.#env.db
      .updateTable('world_snapshots')
      .set({ complete: true, clock_offset_ms: clockOffsetMs })
      .where('id', '=', id)
      .execute();
  }

  async find(accountId: string, name: string): Promise<SnapshotRow | null> {
    return (await this.#complete(accountId).where('name', '=', name).executeTakeFirst()) ?? null;
  }

  async listOf(accountId: string): Promise<SnapshotRow[]> {
    return this.#complete(accountId).orderBy('created_at').orderBy('id').execute();
  }

  /** Complete or not. */
  async idsOf(accountId: string): Promise<string[]> {
    const rows = await this.#env.db
      .selectFrom('world_snapshots')
      .select('id')
      .where('account_id', '=', accountId)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Of all accounts, complete or not. */
  async allIds(): Promise<string[]> {
    return (await this.#env.db.selectFrom('world_snapshots').select('id').execute()).map(({ id }) => id);
  }

  async remove(id: string): Promise<void> {
    await this.#env.db.deleteFrom('world_snapshots').where('id', '=', id).execute();
  }

  /** Those that were not completed in this time: their process is gone. */
  async removeAbandoned(abandonedMs: number): Promise<void> {
    const before = new Date(machineClock.now().getTime() - abandonedMs);
    await this.#env.db
      .deleteFrom('world_snapshots')
      .where('complete', '=', false)
      .where('created_at', '<', before)
      .execute();
  }

  #complete(accountId: string) {
    return this.#env.db
      .selectFrom('world_snapshots')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('complete', '=', true);
  }
}
