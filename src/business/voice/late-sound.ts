/** What was heard of a call that another process has ended: that one wrote the CDR, and could not know it. */
import type { Pool } from 'pg';
import type { Call } from './call.ts';
import type { Direction } from './ports.ts';
import { soundColumns } from './sound.ts';

type CdrTable = Direction<Call>['cdrTable'];

const statementOf = (table: CdrTable) => `
  update ${table} set (sound, sound_problem, caller_mos, called_mos, caller_lost_percent, called_lost_percent) =
    (select x.sound, x.sound_problem, x.caller_mos, x.called_mos, x.caller_lost_percent, x.called_lost_percent
     from json_populate_record(null::${table}, $3) x)
  where call_id = $1 and time_start >= $2 and time_connect is not null`;

const statements = { cdrs_in: statementOf('cdrs_in'), cdrs_out: statementOf('cdrs_out') } as const;

export async function writeLateSound(pool: Pool, table: CdrTable, { id, timeStart, sound }: Call): Promise<void> {
  if (!sound) return;
  const values = [id, timeStart, JSON.stringify(soundColumns(sound))];
  await pool.query({ name: `voice_late_sound_${table}`, text: statements[table], values });
}
