/** The version of the reference data, as it is committed at the moment of asking. */
import type { Pool } from 'pg';
import { shareNext } from './share-next.ts';
import { besideRequest } from './work.ts';

export function catalogueVersion(pool: Pool): () => Promise<string> {
  return shareNext(() =>
    besideRequest(async () => {
      const { rows } = await pool.query<{ version: string }>({
        name: 'catalogue_version',
        text: 'select version from catalogue_version',
      });
      const [row] = rows;
      if (!row) throw new Error('the catalogue has no version');
      return row.version;
    }),
  );
}
