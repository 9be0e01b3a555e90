/** The clock of a copy that is kept: its factor, if it has one, counts again when a world is made from it. */
import pg from 'pg';
import { machineClock } from '../clock.ts';

export async function holdClock(url: string): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(
      `update environment_state s
       set clock_offset_ms = clock_offset_ms + ceil(clock_gained_ms(s, $1))::bigint, clock_factor_since = null
       where clock_factor is not null`,
      [machineClock.now()],
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
