/**
 * Checks rows that came into the database by another way than a request, such as from a file, against the declaration
 * of their type: each value is one that a client could have sent, or the server could have made.
 */
import { messages } from './errors.ts';
import { type Attribute, type ObjectType, storedFacts } from './facts.ts';
import { parseValue } from './parse-value.ts';
import type { Resource } from './resource.ts';
import type { Row, RunQuery } from './sql.ts';

const rowsAtATime = 200;

/** The first problem in rows of this type, or null. */
export async function storedProblem(resource: Resource, query: RunQuery): Promise<string | null> {
  const { type, from, idColumn } = resource;
  const checked = Object.entries(resource.attributes).filter(([, attribute]) => isChecked(attribute));
  if (typeof from !== 'string' || checked.length === 0) return null;
  const columns = checked.map(([name, { column }]) => `${column} as "${name}"`).join(', ');
  for (let last: unknown = null; ; ) {
    const rows = await query(
      `select ${idColumn}::text as "the id", ${columns} from ${from} where $1::uuid is null or ${idColumn} > $1::uuid
       order by ${idColumn} limit ${rowsAtATime}`,
      [last],
    );
    for (const row of rows) {
      for (const [name, attribute] of checked) {
        const message = problemOf(attribute, row[name]);
        if (message !== null) return `${name} of ${type} ${String(row['the id'])} ${message}.`;
      }
    }
    if (rows.length < rowsAtATime) return null;
    last = rows.at(-1)?.['the id'];
  }
}

/** What clients write, and is stored as they wrote it. */
const isChecked = ({ facts, column }: Attribute): boolean =>
  column !== null && (facts.create === true || facts.update === true) && facts.items?.type !== 'object';

function problemOf({ facts, objectTypes, members }: Attribute, stored: unknown): string | null {
  // The database says what cannot be null, and old rows may lack what a new one needs.
  if (stored === null || stored === undefined || members !== undefined) return null;
  if (objectTypes !== undefined) return problemOfObject(objectTypes, stored);
  return messageOf(facts, stored instanceof Date ? stored.toISOString() : stored);
}

function problemOfObject(types: Readonly<Record<string, ObjectType>>, stored: unknown): string | null {
  const { type, attributes } = Object(stored) as { type?: unknown; attributes?: unknown };
  const members = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (members === undefined || typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) {
    return messages.invalid;
  }
  for (const [name, value] of Object.entries(attributes as Row)) {
    const facts = Object.hasOwn(members, name) ? members[name] : undefined;
    if (facts === undefined || hasControls(value)) return `${messages.invalid} (${name})`;
    const message = value === null ? null : messageOf(facts, value);
    if (message !== null) return `${message} (${name})`;
  }
  return null;
}

function messageOf(facts: Attribute['facts'], value: unknown): string | null {
  if (value === '') return null;
  const parsed = parseValue(storedFacts(facts), value);
  return 'value' in parsed ? null : parsed.message;
}

const hasControls = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasControls) : typeof value === 'string' && /\p{Cc}/u.test(value);
