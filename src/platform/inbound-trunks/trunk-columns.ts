import type { Updateable } from 'kysely';
import type { VoiceInTrunksTable } from '../../db/tables/voice.ts';
import { columnValues } from '../../jsonapi/write.ts';
import type { TrunkInput } from './create-voice-in-trunk.ts';

/** What was sent, as columns; the configuration is settled apart. A blank `cli_format` is kept as `e164`. */
export function trunkColumns(input: TrunkInput): Updateable<VoiceInTrunksTable> {
  const { configuration: _apart, ...attributes } = input.attributes;
  const columns = columnValues({ attributes, relationships: { ...input.relationships } });
  return columns.cli_format === null ? { ...columns, cli_format: 'e164' } : columns;
}
