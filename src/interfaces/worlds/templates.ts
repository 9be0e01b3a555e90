/**
 * The databases that worlds are cloned from: `empty` has the schema and one account, `demo` the demo catalogue too.
 * Each is made when it is first needed and kept; its name says which schema it has, so that another program makes its
 * own. One that a former server key has sealed is made anew.
 */
import { createHash, randomBytes } from 'node:crypto';
import { machineClock } from '../../base/clock.ts';
import type { ServerKey } from '../../base/server-key.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { loadDemoCatalogue } from '../../business/catalogue/load-demo.ts';
import { shippedSchema } from '../../engines/db/schema-files.ts';
import { DatabaseClient } from '../../engines/db/servers/client.ts';
import { worldAccount } from './credentials.ts';
import type { WorldDatabases } from './databases.ts';
import type { WorldOpener } from './open-worlds.ts';

type TemplateKind = 'empty' | 'demo';

interface TemplateParts {
  readonly databases: WorldDatabases;
  readonly opener: WorldOpener;
  readonly serverKey: ServerKey;
  /** Ends the clones of a template that nobody has yet. */
  endReady(template: string): Promise<void>;
}

const unfinishedPrefix = 'new_';

export class Templates {
  readonly #parts: TemplateParts;
  readonly #version: Promise<string>;
  readonly #known = new Map<TemplateKind, Promise<string>>();

  constructor(parts: TemplateParts) {
    this.#parts = parts;
    this.#version = schemaVersion();
  }

  /** The name of the template's database, which is made if it is not there. */
  ensure(kind: TemplateKind): Promise<string> {
    const known = this.#known.get(kind) ?? this.#make(kind);
    this.#known.set(kind, known);
    known.catch(() => this.#known.delete(kind));
    return known;
  }

  /** Each is looked for again when it is next needed. */
  forget(): void {
    this.#known.clear();
  }

  /** Those of this program, made or not. */
  async names(): Promise<string[]> {
    const kinds: TemplateKind[] = ['empty', 'demo'];
    return Promise.all(kinds.map((kind) => this.#name(kind)));
  }

  async #name(kind: TemplateKind): Promise<string> {
    return this.#parts.databases.name('t', `${kind}_${await this.#version}`);
  }

  async #make(kind: TemplateKind): Promise<string> {
    const { databases, serverKey, endReady } = this.#parts;
    const name = await this.#name(kind);
    if (await databases.exists(name)) {
      if (await canRead(serverKey, databases.url(name))) return name;
      await endReady(name);
      await databases.drop(name);
    }
    // Under another name until it is complete: a killed process leaves no half template, and of two that make it one
    // wins.
    const unfinished = databases.name('t', unfinishedId());
    await databases.create(unfinished, kind === 'demo' ? await this.ensure('empty') : undefined);
    try {
      await this.#fill(kind, unfinished);
      await databases.rename(unfinished, name);
    } catch (error) {
      await databases.drop(unfinished).catch(() => undefined);
      if (!(await databases.exists(name))) throw error;
    }
    return name;
  }

  async #fill(kind: TemplateKind, database: string): Promise<void> {
    const { databases, opener } = this.#parts;
    const { env, prepareTemplate, close } = await opener.openEnvironment(kind, databases.url(database));
    try {
      if (kind === 'empty') await createAccount(env, worldAccount);
      else await loadDemoCatalogue(env);
      await prepareTemplate();
    } finally {
      await close();
    }
  }
}

/** Says when it was begun, so that one of a killed process can be recognised. */
const unfinishedId = (): string =>
  `${unfinishedPrefix}${machineClock.now().getTime().toString(36)}_${randomBytes(4).toString('hex')}`;

/**
 * Whether the id of a template's database is that of one which is still being made, or was when its process was killed.
 */
export const isUnfinished = (id: string): boolean => id.startsWith(unfinishedPrefix);

export function isAbandoned(id: string, afterMs: number): boolean {
  const begunAt = Number.parseInt(id.slice(unfinishedPrefix.length), 36);
  return isUnfinished(id) && !(machineClock.now().getTime() - begunAt < afterMs);
}

/** Whether these keys open everything in a database. */
async function canRead(serverKey: ServerKey, url: string): Promise<boolean> {
  const client = new DatabaseClient(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ same: boolean | null }>(
      'select server_key_mark || further_key_marks <@ $1 as same from environment_state',
      [serverKey.marks()],
    );
    return rows[0]?.same !== false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function schemaVersion(): Promise<string> {
  const { baseline, migrations, functions } = await shippedSchema();
  const checksums = [baseline, ...migrations, ...functions].map(({ checksum }) => checksum).join();
  return createHash('sha256').update(checksums).digest('hex').slice(0, 8);
}
