/** Makes, resets and ends the worlds of a sandbox, and hands requests to them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { machineClock } from '../../base/clock.ts';
import { connectionOf } from '../../engines/db/pool.ts';
import type { Environment } from '../../engines/environment.ts';
import { Clones } from './clones.ts';
import { addCredentials, newCredentials } from './credentials.ts';
import { isNoDatabase, WorldDatabases } from './databases.ts';
import { bytesOf } from './disk-share.ts';
import { Drops } from './drops.ts';
import { dropForgotten } from './forgotten-databases.ts';
import { KnownWorlds } from './known-worlds.ts';
import type { WorldLimits } from './limits.ts';
import type { MadeWorld, NewWorld, Origin, TakenWorld } from './new-world.ts';
import { OpenWorlds, type WorldOpener } from './open-worlds.ts';
import { type EndedWorld, newWorldId, type Ownership, WorldRegistry, type WorldRow } from './registry.ts';
import { type CopySandbox, sandboxCopier } from './sandbox-copier.ts';
import { SnapshotRegistry } from './snapshot-registry.ts';
import { Snapshots } from './snapshots.ts';
import { Templates } from './templates.ts';
import { Turns } from './turns.ts';

export class NoSuchSnapshot extends Error {}

const sweepEveryMs = 30_000;
/** A database that is not made or dropped after this was given up by a process that is gone. */
const abandonedMs = 300_000;
/** When the process stops; what is not dropped then is dropped by another, or after the next start. */
const dropPatienceMs = 5_000;

export class Worlds {
  readonly registry: WorldRegistry;
  readonly databases: WorldDatabases;
  readonly open: OpenWorlds;
  readonly snapshots: Snapshots;
  readonly known: KnownWorlds;
  readonly sipHost: string;
  readonly #env: Environment;
  readonly #limits: WorldLimits;
  readonly #templates: Templates;
  readonly #clones: Clones;
  readonly #copySandboxInto: CopySandbox;
  readonly #snapshotRows: SnapshotRegistry;
  readonly #drops = new Drops();
  readonly #turns = new Turns();
  #timer: NodeJS.Timeout | null = null;

  /** `env` is the sandbox itself, `sipHost` where phones reach this machine. */
  constructor(env: Environment, opener: WorldOpener, limits: WorldLimits, sipHost: string) {
    this.#env = env;
    this.sipHost = sipHost;
    this.#limits = limits;
    this.registry = new WorldRegistry(env, limits);
    this.#snapshotRows = new SnapshotRegistry(env);
    this.known = new KnownWorlds(env.changes, this.registry);
    this.databases = new WorldDatabases(connectionOf(env.pool));
    this.open = new OpenWorlds({
      opener,
      urlOf: (id) => this.databases.url(this.#databaseOf(id)),
      prepare: async (id, world) => {
        const row = await this.registry.find(id);
        if (row !== null) await addCredentials(world, row);
      },
    });
    const { registry, databases, open } = this;
    const end = (id: string) => this.end(id);
    const endReady = async (template: string) => {
      for (const { id, state } of await registry.clonesOf(template)) if (state === 'ready') await end(id);
    };
    this.#templates = new Templates({ databases, opener, serverKey: env.serverKey, endReady });
    this.#copySandboxInto = sandboxCopier(env, databases, opener.threadProgram, () => this.#templates.ensure('empty'));
    const turns = this.#turns;
    this.#clones = new Clones({
      env,
      databases,
      registry,
      limits,
      turns,
      bytesOf: (accountId) => bytesOf(accountId, { databases, worlds: registry, snapshots: this.#snapshotRows }),
      end,
      makeSpace: () => this.#drops.finish(),
    });
    this.snapshots = new Snapshots({
      env,
      opener,
      databases,
      worlds: registry,
      registry: this.#snapshotRows,
      open,
      mostBytes: limits.mostBytes,
      turns,
      requireSpace: (accountId) => this.#clones.requireSpace(accountId),
      emptyTemplate: () => this.#templates.ensure('empty'),
      clone: (template) => this.#clones.make(template),
      copySandboxInto: this.#copySandboxInto,
      end,
    });
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
    if (this.#timer !== null) clearInterval(this.#timer);
    await Promise.all([this.open.stop(), this.#clones.stop()]);
    await this.#drops.finish(dropPatienceMs);
  }

  /**
   * The world itself is opened in the background, so that the first request finds it open or on its way; only what the
   * client asks for beyond the usual (SIP) has to be there first.
   */
  async make({ accountId, from, name, sip = false }: NewWorld): Promise<MadeWorld> {
    await this.registry.requireRoom(accountId, sip);
    await this.#drops.room();
    this.#drops.postpone();
    const credentials = newCredentials(this.#env.serverKey);
    const owner = { accountId, origin: from, name, sip, whole: false, credentials };
    const { id, clockOffsetMs, template } = await this.#take(from, owner);
    return this.#clones.orEnd(id, async () => {
      await this.known.readAgain();
      const sipPort = sip ? await this.#listen(id, 0) : null;
      const now = clockOffsetMs === null ? await this.now(id) : new Date(machineClock.now().getTime() + clockOffsetMs);
      // The world that somebody waits for comes before those that are kept ready for others.
      const opened = this.open.begin(id).catch(() => this.#env.log.debug('a new world waits for its first request'));
      opened.then(() => template !== null && this.#clones.refill(template));
      const { apiKey, application } = credentials;
      return { id, apiKey, application, now, sipPort };
    });
  }

  async #take(from: string, owner: Ownership): Promise<TakenWorld> {
    if (from === 'current') return this.#turns.take(owner.accountId, () => this.#copySandbox(owner));
    const clone = async () => {
      const { template, clockOffsetMs, whole } = await this.#templateOf(owner.accountId, from);
      return { id: await this.#clones.take(template, { ...owner, whole }), clockOffsetMs, template };
    };
    try {
      return await clone();
    } catch (error) {
      if (!isNoDatabase(error)) throw error;
      // A process of another version, which has templates of its own, has dropped this one.
      this.#templates.forget();
      return clone();
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
    await this.#turns.take(world.account_id ?? '', () =>
      this.open.change(world.id, async () => {
        await this.databases.drop(database);
        await this.databases.createWorld(world.id, world.template);
      }),
    );
    await this.registry.noteUse([world.id]);
  }

  /**
   * Nobody reaches it from now on. Requests to it end and its database is dropped in the background; what a killed
   * process leaves of that is done by the sweep of another.
   */
  async end(id: string): Promise<void> {
    const ended = await this.registry.beginEnd(id);
    if (ended === null) return;
    // The next request may come before this process has heard of its own change.
    await this.known.readAgain();
    this.#end(ended);
  }

  #end({ id, template }: EndedWorld): void {
    this.open.stopListening(id);
    // Its jobs stop; the drop closes it again and waits for that.
    this.open.close(id).catch(() => undefined);
    this.#drops.add(() =>
      this.#drop(id, template).catch((error) =>
        this.#env.log.warn({ err: error }, 'the database of a world could not be dropped yet'),
      ),
    );
  }

  async #drop(id: string, template: string): Promise<void> {
    await this.open.change(id, () => this.databases.drop(this.#databaseOf(id)));
    // The copy of the sandbox that a world was made from belongs to that world alone.
    if (template === this.databases.name('s', id)) await this.databases.drop(template);
    await this.registry.forget(id);
  }

  /** Hands a request to a world. False if there is no such world. */
  async handle(id: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (!(await this.known.has(id))) return false;
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
    await this.#snapshotRows.removeAbandoned(abandonedMs);
    const own = await this.#templates.names();
    const templates = [...own, ...(await this.#snapshotRows.allIds()).map((id) => this.databases.name('s', id))];
    const { idleMs } = this.#limits;
    for (const ended of await this.registry.beginEndOfOutdated({ idleMs, abandonedMs, templates })) {
      this.#end(ended);
    }
    const rows = { worlds: this.registry, snapshots: this.#snapshotRows };
    await dropForgotten(this.databases, rows, { templates: own, abandonedMs });
  }

  async #templateOf(accountId: string, from: string): Promise<Origin> {
    // Nobody has ever moved the clock of these.
    if (from === 'empty' || from === 'demo') {
      return { template: await this.#templates.ensure(from), clockOffsetMs: 0, whole: false };
    }
    const snapshot = await this.snapshots.find(accountId, from);
    if (snapshot === null) throw new NoSuchSnapshot(`There is no snapshot named "${from}".`);
    const { id, clock_offset_ms: clockOffsetMs, whole } = snapshot;
    return { template: this.databases.name('s', id), clockOffsetMs, whole };
  }

  /** The copy is kept beside the world, as what a reset goes back to. */
  async #copySandbox(owner: Ownership): Promise<TakenWorld> {
    await this.registry.requireRoom(owner.accountId, owner.sip);
    await this.#clones.requireSpace(owner.accountId);
    const id = newWorldId();
    const copy = this.databases.name('s', id);
    await this.registry.begin(id, copy);
    return this.#clones.orEnd(id, async () => {
      const clockOffsetMs = await this.#copySandboxInto(copy, { accountId: owner.accountId, whole: false });
      await this.databases.createWorld(id, copy);
      await this.registry.take(id, owner);
      return { id, clockOffsetMs, template: null };
    });
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
