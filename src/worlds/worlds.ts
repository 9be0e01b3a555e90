/** Makes, resets and ends the worlds of a sandbox, and keeps some clones ready, so that making one takes a moment. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { keepUntilChanged } from '../db/kept.ts';
import { connectionOf } from '../db/pool.ts';
import type { Environment } from '../environment.ts';
import { copyDatabase } from './copy-database.ts';
import { type Credentials, createCredentials, restoreCredentials } from './credentials.ts';
import { WorldDatabases } from './databases.ts';
import { dropForgotten } from './forgotten-databases.ts';
import { holdClock } from './hold-clock.ts';
import { requireSpace, type WorldLimits } from './limits.ts';
import { OpenWorlds, type WorldOpener } from './open-worlds.ts';
import { newWorldId, type Ownership, WorldRegistry, type WorldRow } from './registry.ts';
import { Snapshots } from './snapshots.ts';
import { Templates } from './templates.ts';

export interface NewWorld {
  accountId: string;
  /** `empty`, `demo`, `current`, or the name of a snapshot. */
  from: string;
  name: string | null;
  /** With SIP on a port of its own. */
  sip?: boolean;
}

export interface MadeWorld extends Credentials {
  readonly id: string;
  readonly now: Date;
  readonly sipPort: number | null;
}

export class NoSuchSnapshot extends Error {}

const sweepEveryMs = 30_000;
/** Databases that are dropped at a time; who ends more worlds than this waits. */
const mostDrops = 4;
/** A database that is not made or dropped after this was given up by a process that is gone. */
const abandonedMs = 300_000;

export class Worlds {
  readonly registry: WorldRegistry;
  readonly databases: WorldDatabases;
  readonly open: OpenWorlds;
  readonly snapshots: Snapshots;
  readonly sipHost: string;
  readonly #env: Environment;
  readonly #limits: WorldLimits;
  readonly #templates: Templates;
  readonly #filling = new Map<string, Promise<void>>();
  /** Templates of which a ready clone was taken since they were last counted. */
  readonly #taken = new Set<string>();
  readonly #drops = new Set<Promise<unknown>>();
  readonly #keys;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** `env` is the sandbox itself, `sipHost` where phones reach this machine. */
  constructor(env: Environment, opener: WorldOpener, limits: WorldLimits, sipHost: string) {
    this.#env = env;
    this.sipHost = sipHost;
    this.#limits = limits;
    this.registry = new WorldRegistry(env, limits);
    this.databases = new WorldDatabases(connectionOf(env.pool));
    this.open = new OpenWorlds(opener, (id) => this.databases.url(this.#databaseOf(id)));
    this.#templates = new Templates(this.databases, opener);
    this.snapshots = new Snapshots({
      env,
      opener,
      databases: this.databases,
      registry: this.registry,
      open: this.open,
      mostBytes: limits.mostBytes,
      requireSpace: () => this.#requireSpace(),
      clone: (template) => this.#clone(template),
      copySandboxInto: (database) => this.#copyInto(database),
      end: (id) => this.end(id),
    });
    this.#keys = keepUntilChanged<ReadonlyMap<string, string>>(env.changes, { outdatedBy: { world: () => true } });
    // Another process has ended it.
    env.changes.on('world', (id) => void this.#closeIfEnded(id).catch(() => undefined));
  }

  /** Ends what an earlier process has left behind, and from then on what nobody uses. */
  start(): void {
    const sweep = () => this.sweep().catch((error) => this.#env.log.warn({ err: error }, 'worlds could not be swept'));
    this.#timer = setInterval(() => void sweep(), sweepEveryMs).unref();
    const listen = async () => {
      if (!this.hasSip) return;
      for (const { id, sip_port } of await this.registry.listWithSip()) await this.#listen(id, sip_port ?? 0);
    };
    void sweep()
      .then(listen)
      .catch((error) => this.#env.log.warn({ err: error }, 'the SIP of worlds could not be opened'));
  }

  /** Whether worlds can have SIP of their own here. */
  get hasSip(): boolean {
    return this.#limits.mostSip > 0;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await Promise.all([this.open.stop(), ...this.#filling.values(), ...this.#drops]);
  }

  async make({ accountId, from, name, sip = false }: NewWorld): Promise<MadeWorld> {
    await this.registry.requireRoom(accountId, sip);
    const owner = { accountId, origin: from, name, sip };
    const id =
      from === 'current'
        ? await this.#copySandbox(owner)
        : await this.#cloneOf(await this.#templateOf(accountId, from), owner);
    try {
      const made = await this.open.use(id, async (env) => {
        const credentials = await createCredentials(env, id, accountId);
        await this.registry.setCredentials(id, credentials);
        // The client may come before this process has heard of its own change.
        await this.#readKeys();
        return { ...credentials, id, now: env.clock.now() };
      });
      return { ...made, sipPort: sip ? await this.#listen(id, 0) : null };
    } catch (error) {
      await this.end(id);
      throw error;
    }
  }

  /** A world of this account, or null. */
  async find(accountId: string, id: string): Promise<WorldRow | null> {
    const world = await this.registry.find(id);
    return world?.account_id === accountId ? world : null;
  }

  async now(id: string): Promise<Date> {
    return this.open.use(id, async (env) => env.clock.now());
  }

  async reset(world: WorldRow): Promise<void> {
    const database = this.#databaseOf(world.id);
    await this.open.change(world.id, async () => {
      await this.databases.drop(database);
      await this.databases.create(database, world.template);
    });
    await this.open.use(world.id, (env) => restoreCredentials(env, world.credentials));
    await this.registry.noteUse([world.id]);
  }

  /** Nobody reaches it from now on. Its database, which may take PostgreSQL a while, is dropped behind the back of who asks. */
  async end(id: string): Promise<void> {
    const ended = await this.registry.beginEnd(id);
    if (ended === null) return;
    this.open.stopListening(id);
    await this.open.close(id);
    const drop: Promise<unknown> = this.#drop(id, ended.template)
      .catch((error) => this.#env.log.warn({ err: error }, 'the database of a world could not be dropped yet'))
      .finally(() => this.#drops.delete(drop));
    this.#drops.add(drop);
    if (this.#drops.size > mostDrops) await Promise.race(this.#drops);
  }

  async #drop(id: string, template: string): Promise<void> {
    await this.open.change(id, () => this.databases.drop(this.#databaseOf(id)));
    // The copy of the sandbox that a world was made from belongs to that world alone.
    if (template === this.databases.name('s', id)) await this.databases.drop(template);
    await this.registry.forget(id);
  }

  /** The worlds of keys: `api:<hash>` and `otp:<key>`. */
  knownKeys(): ReadonlyMap<string, string> | undefined {
    return this.#keys.peek('all');
  }

  keys(): Promise<ReadonlyMap<string, string>> {
    return this.#keys.read('all', () => this.registry.keys());
  }

  readonly #readKeys = () => this.#keys.refresh('all', () => this.registry.keys());

  /** Hands a request to a world. False if there is no such world. */
  async handle(id: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const isIn = (keys: ReadonlyMap<string, string>) => new Set(keys.values()).has(id);
    // One that another process has just made may not be known here yet.
    if (!isIn(await this.keys()) && !isIn(await this.#readKeys())) return false;
    try {
      await this.open.handle(id, request, response);
      return true;
    } catch (error) {
      // It may have ended while the request was on its way.
      if ((await this.registry.find(id)) === null) return false;
      throw error;
    }
  }

  async sweep(): Promise<void> {
    const used = this.open.takeUsed();
    if (used.length > 0) await this.registry.noteUse(used);
    const templates = await this.#templates.names();
    for (const { id } of await this.registry.listSnapshots(null)) templates.push(this.databases.name('s', id));
    const { idleMs } = this.#limits;
    for (const id of await this.registry.outdated({ idleMs, abandonedMs, templates })) await this.end(id);
    await dropForgotten(this.databases, this.registry, await this.#templates.names());
  }

  async #templateOf(accountId: string, from: string): Promise<string> {
    if (from === 'empty' || from === 'demo') return this.#templates.ensure(from);
    const snapshot = await this.registry.findSnapshot(accountId, from);
    if (snapshot === null) throw new NoSuchSnapshot(`There is no snapshot named "${from}".`);
    return this.databases.name('s', snapshot.id);
  }

  /** From the ready ones if there is one, and those are made good in the background. */
  async #cloneOf(template: string, owner: Ownership): Promise<string> {
    const ready = await this.registry.takeReady(template, owner);
    this.#refill(template);
    if (ready !== null) return ready;
    const id = await this.#clone(template);
    await this.#orEnd(id, () => this.registry.take(id, owner));
    // Until now it counted among those that will be ready.
    this.#refill(template);
    return id;
  }

  async #clone(template: string): Promise<string> {
    await this.#requireSpace();
    const id = newWorldId();
    await this.registry.begin(id, template);
    await this.#orEnd(id, () => this.databases.create(this.#databaseOf(id), template));
    return id;
  }

  /** The copy is kept beside the world, as what a reset goes back to. */
  async #copySandbox(owner: Ownership): Promise<string> {
    await this.#requireSpace();
    const id = newWorldId();
    const copy = this.databases.name('s', id);
    await this.registry.begin(id, copy);
    await this.#orEnd(id, async () => {
      await this.#copyInto(copy);
      await this.databases.create(this.#databaseOf(id), copy);
      await this.registry.take(id, owner);
    });
    return id;
  }

  async #copyInto(database: string): Promise<void> {
    await this.databases.create(database, await this.#templates.ensure('empty'));
    await copyDatabase(connectionOf(this.#env.pool), this.databases.url(database));
    await holdClock(this.databases.url(database));
  }

  async #orEnd(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.end(id);
      throw error;
    }
  }

  #refill(template: string): void {
    this.#taken.add(template);
    if (this.#filling.has(template)) return;
    const filling = this.#fill(template)
      .catch((error) => this.#env.log.warn({ err: error }, 'no world could be kept ready'))
      .finally(() => {
        this.#filling.delete(template);
        if (this.#taken.has(template)) this.#refill(template);
      });
    this.#filling.set(template, filling);
  }

  async #fill(template: string): Promise<void> {
    while (this.#taken.delete(template)) {
      while (!this.#stopped && (await this.registry.countReady(template)) < this.#limits.ready) {
        await this.registry.markReady(await this.#clone(template));
      }
    }
  }

  async #requireSpace(): Promise<void> {
    requireSpace(await this.databases.size(), this.#limits);
  }

  async #listen(id: string, wanted: number): Promise<number> {
    const port = await this.open.listen(id, wanted);
    if (port !== wanted) await this.registry.setSipPort(id, port);
    return port;
  }

  async #closeIfEnded(id: string): Promise<void> {
    if ((await this.registry.find(id)) !== null) return;
    this.open.stopListening(id);
    await this.open.close(id);
  }

  #databaseOf(id: string): string {
    return this.databases.name('w', id);
  }
}
