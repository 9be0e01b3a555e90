/** Prints records of the operator's interface as blocks of lines, one member each: they have too many for a table. */
import type { FoundRecord } from '../../interfaces/operator/read-records.ts';
import { shown } from './output.ts';

export function printRecords(records: readonly FoundRecord[], out: (line: string) => void): void {
  if (records.length === 0) out('There is nothing like that.');
  records.forEach(({ id, attributes, relationships }, index) => {
    if (index > 0) out('');
    const links = Object.entries(relationships ?? {}).flatMap(([name, { data }]) =>
      data && !Array.isArray(data) ? [[name, data.id] as const] : [],
    );
    printMembers([['id', id], ...Object.entries(attributes), ...links], out);
  });
}

/** Members without a value are left out. */
function printMembers(members: readonly (readonly [string, unknown])[], out: (line: string) => void): void {
  const given = members.filter(([, value]) => !isEmpty(value));
  const width = Math.max(...given.map(([name]) => name.length));
  for (const [name, value] of given) out(`${name.padEnd(width)}  ${shown(value)}`);
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
