/** Values of the filled database to look for. */
import type pg from 'pg';
import type { Samples } from './look-ups.ts';

const none = 'ffffffff-0000-4000-8000-000000000000';

export async function readSamples(client: pg.Client): Promise<Samples> {
  const one = async (text: string): Promise<string> => {
    const { rows } = await client.query<{ v: string }>(text);
    const value = rows[0]?.v;
    if (value === undefined) throw new Error(`nothing was found by ${text}`);
    return value;
  };
  const owners = await client.query<{ account_id: string }>(
    'select account_id from orders group by 1 order by count(*) desc, 1',
  );
  const moment = (interval: string) =>
    one(`select to_char(max(time_start) - interval '${interval}', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as v from cdrs_in`);
  const largest = owners.rows[0]?.account_id ?? none;
  return {
    none,
    largest,
    small: owners.rows.at(-1)?.account_id ?? none,
    ids: {
      numbers: await one('select id as v from dids limit 1'),
      verifications: await one('select id as v from verifications limit 1'),
      uploads: await one('select id as v from encrypted_files limit 1'),
      deliveries: await one('select id as v from deliveries limit 1'),
    },
    number: await one('select number as v from dids offset 1000 limit 1'),
    unknownNumber: '4930',
    reference: await one('select reference as v from orders offset 1000 limit 1'),
    lastWeek: await moment('6 days'),
    longAgo: await moment('700 days'),
    key: await one(`select id as v from api_keys where account_id = '${largest}'`),
    carrier: await one('select carrier_id as v from cdrs_out group by 1 order by count(*) desc limit 1'),
    rareCarrier: await one('select carrier_id as v from cdrs_out group by 1 order by count(*) limit 1'),
    application: await one(`select id as v from otp_applications where account_id = '${largest}'`),
    order: await one('select id as v from orders where status = $$completed$$ offset 1000 limit 1'),
  };
}
