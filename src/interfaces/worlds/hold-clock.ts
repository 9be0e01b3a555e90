/**
 * The clock of a copy that is kept: it runs on from where the source's clock was, and its factor, if it has one, counts
 * again when a world is made from it. So its offset says which time a world begins at.
 */
import { machineClock } from '../../base/clock.ts';
import { DatabaseClient } from '../../engines/db/servers/client.ts';

/** Returns by how many milliseconds it is ahead of the machine's. */
export async function holdClock(url: string): Promise<number> {
  const client = new DatabaseClient(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ ms: string }>(
      `update environment_state s
       set clock_version = clock_version + 1, clock_offset_ms = clock_settled_ms(s, $1), clock_stands_at = null,
           clock_factor_since = null
       returning clock_offset_ms as ms`,
      [machineClock.now()],
    );
    return Number(rows[0]?.ms ?? 0);
  } finally {
    await client.end().catch(() => undefined);
  }
}
