import type { Updateable } from 'kysely';
import type { VoiceInTrunksTable } from '../../db/tables/voice.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
import type { TypedObject } from '../../jsonapi/parse-object.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import type { Row } from '../../jsonapi/sql.ts';
import { columnValues } from '../../jsonapi/store.ts';

export type TrunkInput = WriteInput<
  Row & { configuration?: TypedObject },
  { voice_in_trunk_group?: Linkage | null; pop?: Linkage | null }
>;

/** What was sent, as columns; the configuration is settled apart. A blank `cli_format` is kept as `e164`. */
export function trunkColumns(input: TrunkInput): Updateable<VoiceInTrunksTable> {
  const { configuration: _apart, ...attributes } = input.attributes;
  const columns = columnValues({ attributes, relationships: { ...input.relationships } });
  return columns.cli_format === null ? { ...columns, cli_format: 'e164' } : columns;
}
