/** `/sandbox/v1/worlds` and `/sandbox/v1/snapshots`: whole sandboxes of one's own, from a known state. */

import { OperatorError } from '../../base/operator-error.ts';
import type { Outcome } from '../../engines/db/made-changes.ts';
import { shape } from '../../engines/typed-schema.ts';
import { CannotClone } from '../worlds/databases.ts';
import { NoRoomForWorld } from '../worlds/limits.ts';
import type { WorldRow } from '../worlds/registry.ts';
import { BadSnapshotFile } from '../worlds/snapshot-format.ts';
import { WholeSnapshot } from '../worlds/snapshots.ts';
import { TooManyWaiting } from '../worlds/turns.ts';
import { worldPath } from '../worlds/world-path.ts';
import { NoSuchSnapshot, type Worlds } from '../worlds/worlds.ts';
import { requireEverything } from './access.ts';
import {
  BadControlRequest,
  type Control,
  ControlError,
  type ControlRequest,
  fileType,
  NotPossible,
} from './control.ts';

const namePattern = '^[\\w.-]+( [\\w.-]+)*$';
const name = shape.string({ minLength: 1, maxLength: 100, pattern: namePattern });

export const newWorldBody = shape.object(
  {
    from: shape.optional(
      shape.string({
        minLength: 1,
        maxLength: 100,
        default: 'demo',
        description:
          '`empty`, `demo` (the demo catalogue), `current` (your account as it is in this sandbox, and the catalogue), or the name of a snapshot.',
      }),
    ),
    name: shape.optional(name),
    sip: shape.optional(
      shape.boolean({
        default: false,
        description: 'With SIP on a port of its own (UDP and TCP), for phones and trunks of this world.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const newSnapshotBody = shape.object(
  {
    name,
    world: shape.optional(
      shape.string({
        maxLength: 100,
        description: 'The id of a world; your account in this sandbox if it is missing.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Worlds that begin without anything of the account. */
const withoutAccount: readonly string[] = ['empty', 'demo'];
const reservedNames: readonly string[] = [...withoutAccount, 'current'];

export const emptyBody = shape.object({}, { additionalProperties: false });

export const worldsControl =
  (worlds: Worlds): Control =>
  (routes) => {
    const { sipHost } = worlds;
    const find = async (accountId: string, id: string | undefined): Promise<WorldRow> => {
      const world = await worlds.find(accountId, id ?? '');
      if (world === null) throw new ControlError('not_found');
      return world;
    };
    const shown = (world: WorldRow, baseUrl: string) => ({
      id: world.id,
      url: `${baseUrl}${worldPath(world.id)}`,
      from: world.origin,
      name: world.name,
      sip: world.sip_port === null ? null : { host: sipHost, port: world.sip_port },
      created_at: world.created_at.toISOString(),
    });

    routes.get('/worlds', async ({ caller, baseUrl }) => ({
      body: { worlds: (await worlds.registry.listOf(caller.accountId)).map((world) => shown(world, baseUrl)) },
    }));

    routes.post('/worlds', newWorldBody, async ({ caller, body, baseUrl }) => {
      const { accountId } = caller;
      // The key of the world has no scopes.
      if (body.from !== undefined && !withoutAccount.includes(body.from)) requireEverything(caller, false);
      const wanted = { accountId, from: body.from ?? 'demo', name: body.name ?? null, sip: body.sip ?? false };
      if (wanted.sip && !worlds.hasSip) throw new BadControlRequest('worlds have no SIP on this server');
      const made = await possible(() => worlds.make(wanted));
      return {
        status: 201,
        body: {
          id: made.id,
          url: `${baseUrl}${worldPath(made.id)}`,
          api_key: made.apiKey,
          otp_application: made.application,
          now: made.now.toISOString(),
          ...(made.sipPort === null ? {} : { sip: { host: sipHost, port: made.sipPort } }),
        },
      };
    });

    routes.get('/worlds/:id', async ({ caller, params, baseUrl }) => {
      const world = await find(caller.accountId, params.id);
      const now = await worlds.now(world.id);
      return { body: { ...shown(world, baseUrl), now: now.toISOString() } };
    });

    routes.post('/worlds/:id/reset', emptyBody, async ({ caller, params, baseUrl }) => {
      const world = await find(caller.accountId, params.id);
      await possible(() => worlds.reset(world), 'unknown');
      return { body: { ...shown(world, baseUrl), now: (await worlds.now(world.id)).toISOString() } };
    });

    routes.delete('/worlds/:id', async ({ caller, params }) => {
      await worlds.end((await find(caller.accountId, params.id)).id);
      return { status: 204, body: null };
    });

    routes.get('/snapshots', async ({ caller }) => ({
      body: {
        snapshots: (await worlds.snapshots.list(caller.accountId)).map((snapshot) => ({
          name: snapshot.name,
          created_at: snapshot.created_at.toISOString(),
        })),
      },
    }));

    routes.get('/snapshots/:name', async ({ caller, params, headers }) => {
      const passphrase = passphraseIn(headers);
      const file = await possible(() => worlds.snapshots.file(caller.accountId, params.name ?? '', passphrase));
      if (file === null) throw new ControlError('not_found');
      return { type: fileType, body: file };
    });

    routes.put('/snapshots/:name', async ({ caller, params, body, headers }) => {
      const named = checkedName(params.name ?? '');
      const passphrase = passphraseIn(headers);
      const loaded = await possible(() => worlds.snapshots.load(caller.accountId, named, body, passphrase));
      if (!loaded) throw nameTaken(named);
      return { status: 201, body: { name: named } };
    });

    routes.post('/snapshots', newSnapshotBody, async ({ caller, body }) => {
      checkedName(body.name);
      const world = body.world === undefined ? null : await find(caller.accountId, body.world);
      const saved = await possible(() => worlds.snapshots.save(caller.accountId, body.name, world));
      if (!saved) throw nameTaken(body.name);
      return { status: 201, body: { name: body.name } };
    });

    routes.delete('/snapshots/:name', async ({ caller, params }) => {
      const outcome = await worlds.snapshots.drop(caller.accountId, params.name ?? '');
      if (outcome === 'missing') throw new ControlError('not_found');
      if (outcome === 'needed') {
        throw new BadControlRequest(
          'A world was made from this snapshot and can be reset to it; end the world first.',
          409,
        );
      }
      return { status: 204, body: null };
    });
  };

function checkedName(given: string): string {
  if (!new RegExp(namePattern).test(given) || given.length > 100 || reservedNames.includes(given)) {
    throw new BadControlRequest(`name must not be "${given}"`);
  }
  return given;
}

/** The header that seals a file, and opens it. */
export const passphraseHeader = 'snapshot-passphrase';
const shortestPassphrase = 12;

function passphraseIn(headers: ControlRequest<unknown>['headers']): string | null {
  const given = headers[passphraseHeader];
  if (given === undefined) return null;
  if (typeof given === 'string' && given.length >= shortestPassphrase && given.length <= 1000) return given;
  throw new BadControlRequest(`${passphraseHeader} must have at least ${shortestPassphrase} characters`);
}

const nameTaken = (given: string) => new BadControlRequest(`There is already a snapshot named "${given}".`, 409);

/**
 * What the server cannot do now is told as such: 429 where a limit is reached, 503 where the database refuses. What had
 * been begun is taken back then, but for a reset, whose former state is gone.
 */
async function possible<T>(work: () => Promise<T>, refused: Outcome = 'nothing_changed'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooManyWaiting) throw new NotPossible(error.status, error.message);
    if (error instanceof NoRoomForWorld) throw new NotPossible(429, error.message);
    // A world that was made but cannot be opened is for the operator in the log, and for the client to try again.
    if (error instanceof CannotClone || error instanceof OperatorError)
      throw new NotPossible(503, error.message, refused);
    if (error instanceof BadSnapshotFile) throw new BadControlRequest(error.message);
    if (error instanceof NoSuchSnapshot) throw new BadControlRequest(error.message);
    if (error instanceof WholeSnapshot) throw new BadControlRequest(error.message, 409);
    throw error;
  }
}
