/**
 * The secrets in rows of a snapshot file: in clear inside a sealed file, left out of any other, sealed with the
 * server's key where they are loaded.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { ServerKey } from '../../base/server-key.ts';
import { seal, unseal } from '../../business/accounts/secret.ts';
import type { CopiedTable } from './copied-tables.ts';
import { fieldsOf, lineOf } from './copy-text.ts';
import { damaged } from './snapshot-format.ts';

/** A column whose texts are sealed with the server key. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly purpose: string;
}

export interface SecretRules {
  readonly serverKey: ServerKey;
  readonly sealed: readonly SealedColumn[];
  /** Whether the file holds them. */
  readonly kept: boolean;
}

type Change = (field: string) => string | null;

const keep: Change = (field) => field;

/** How a line of this table is changed on its way into a file, and out of one. Null: it has no secrets. */
export function secretsOf(
  { table, secrets = {} }: CopiedTable,
  columns: readonly string[],
  way: 'save' | 'load',
  rules: SecretRules,
): ((line: Buffer) => Buffer) | null {
  const changes = columns.map((column): Change => {
    const secret = Object.hasOwn(secrets, column) ? secrets[column] : undefined;
    if (secret === undefined) return keep;
    if (typeof secret !== 'string') return rules.kept ? keep : membersChange(secret, way);
    const purpose = rules.sealed.find((known) => known.table === table && known.column === column)?.purpose ?? null;
    return columnChange(purpose, secret, way, rules);
  });
  if (changes.every((change) => change === keep)) return null;
  return (line) => {
    const fields = fieldsOf(line.toString());
    if (fields.length !== columns.length) throw damaged();
    return Buffer.from(lineOf(fields.map((field, index) => (field === null ? null : (changes[index] ?? keep)(field)))));
  };
}

function columnChange(
  purpose: string | null,
  secret: 'anew' | 'empty',
  way: 'save' | 'load',
  { serverKey, kept }: SecretRules,
): Change {
  if (way === 'save') {
    if (!kept) return () => '';
    return purpose === null ? keep : (field) => unseal(serverKey, purpose, field);
  }
  if (!kept && secret === 'empty') return () => null;
  // The only secrets that are not sealed are hashes: bytes.
  if (purpose === null) return kept ? keep : () => `\\x${randomBytes(32).toString('hex')}`;
  return (field) => seal(serverKey, purpose, kept ? field : randomBytes(32).toString('base64url'));
}

/** Members of a JSON object: passwords of SIP, which the interface shows and so are not sealed. */
function membersChange(members: readonly string[], way: 'save' | 'load'): Change {
  return (field) => {
    const object = readObject(field);
    const changed = members
      .filter((member) => typeof object[member] === 'string')
      .map((member) => [member, way === 'load' ? newPassword() : '']);
    return JSON.stringify({ ...object, ...Object.fromEntries(changed) });
  };
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Not JSON: told below.
  }
  throw damaged();
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const newPassword = (): string => Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('');
