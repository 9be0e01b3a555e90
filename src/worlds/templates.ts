/**
 * The databases that worlds are cloned from: `empty` has the schema and one account, `demo` the demo catalogue too. Each is
 * made when it is first needed and kept; its name says which schema it has, so that another program makes its own.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createAccount } from '../accounts/accounts.ts';
import { loadDemoCatalogue } from '../catalogue/load-demo.ts';
import { shippedMigrations } from '../db/migration-files.ts';
import { worldAccount } from './credentials.ts';
import type { WorldDatabases } from './databases.ts';
import type { WorldOpener } from './open-worlds.ts';

type TemplateKind = 'empty' | 'demo';

export class Templates {
  readonly #databases: WorldDatabases;
  readonly #opener: WorldOpener;
  readonly #version: Promise<string>;
  readonly #known = new Map<TemplateKind, Promise<string>>();

  constructor(databases: WorldDatabases, opener: WorldOpener) {
    this.#databases = databases;
    this.#opener = opener;
    this.#version = schemaVersion();
  }

  /** The name of the template's database, which is made if it is not there. */
  ensure(kind: TemplateKind): Promise<string> {
    const known = this.#known.get(kind) ?? this.#make(kind);
    this.#known.set(kind, known);
    known.catch(() => this.#known.delete(kind));
    return known;
  }

  /** Those of this program, made or not. */
  async names(): Promise<string[]> {
    const kinds: TemplateKind[] = ['empty', 'demo'];
    return Promise.all(kinds.map((kind) => this.#name(kind)));
  }

  async #name(kind: TemplateKind): Promise<string> {
    return this.#databases.name('t', `${kind}_${await this.#version}`);
  }

  /** Under another name until it is complete: a killed process leaves no half template, and of two that make it one wins. */
  async #make(kind: TemplateKind): Promise<string> {
    const name = await this.#name(kind);
    if (await this.#databases.exists(name)) return name;
    const unfinished = this.#databases.name('t', `new_${randomBytes(4).toString('hex')}`);
    await this.#databases.create(unfinished, kind === 'demo' ? await this.ensure('empty') : undefined);
    try {
      const { env, close } = await this.#opener.openEnvironment(kind, this.#databases.url(unfinished));
      try {
        if (kind === 'empty') await createAccount(env, worldAccount);
        else await loadDemoCatalogue(env);
        await this.#opener.prepareTemplate(env);
      } finally {
        await close();
      }
      await this.#databases.rename(unfinished, name);
    } catch (error) {
      await this.#databases.drop(unfinished).catch(() => undefined);
      if (!(await this.#databases.exists(name))) throw error;
    }
    return name;
  }
}

async function schemaVersion(): Promise<string> {
  const checksums = (await shippedMigrations()).map(({ checksum }) => checksum).join();
  return createHash('sha256').update(checksums).digest('hex').slice(0, 8);
}
