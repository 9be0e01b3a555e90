/** What the indexes of the look-ups cost when a call is recorded: the same CDRs with and without them. */
import type pg from 'pg';
import { median } from '../load.ts';
import type { Row } from '../row.ts';

const rowsAtATime = 20_000;
const rounds = 5;
/** Indexes that only operators' look-ups use. */
const lookUpIndexes = ['cdrs_out_time', 'cdrs_out_src', 'cdrs_out_dst', 'cdrs_out_carrier', 'cdrs_out_code'];

/** Each time in a transaction that is rolled back, so that both find the same tables. */
export async function costOfIndexes(client: pg.Client): Promise<Row> {
  const measure = async (dropped: readonly string[]): Promise<number> => {
    await client.query('begin');
    for (const name of dropped) await client.query(`drop index if exists ${name}`);
    const started = performance.now();
    await client.query('insert into cdrs_out select * from written_again');
    const took = performance.now() - started;
    await client.query('rollback');
    return took;
  };
  await client.query(
    `create temp table written_again as select * from cdrs_out order by time_start desc limit ${rowsAtATime}`,
  );
  await client.query(`update written_again set id = gen_random_uuid(), call_id = call_id || '-again'`);
  const [withThem, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    withThem.push(await measure([]));
    without.push(await measure(lookUpIndexes));
  }
  const perRow = (times: readonly number[]) => ((median(times) * 1000) / rowsAtATime).toFixed(0);
  return {
    measure: 'writing a CDR: with the indexes of the look-ups / without',
    ratio: median(withThem) / median(without),
    required: { atMost: 3 },
    note: `${perRow(withThem)} µs and ${perRow(without)} µs a row, ${rowsAtATime} in one statement`,
  };
}
