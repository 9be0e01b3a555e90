/** The rooms that serve an environment's port, each registered in a scope of its own. */
import type { FastifyInstance } from 'fastify';
import type { TaskHandler } from '../../engines/jobs/handler.ts';
import { operatorRoom } from '../operator/routes.ts';
import type { PanelOptions } from '../panel/context.ts';
import { panelRoom } from '../panel/room.ts';
import { platformRoom } from '../platform/v3/routes.ts';
import type { ClockMovers } from '../sandbox/clock-movers.ts';
import { sandboxRoom } from '../sandbox/routes.ts';
import { receiptsRoom } from '../verification/delivery/receipts.ts';
import { verificationRoom } from '../verification/room.ts';
import type { Worlds } from '../worlds/worlds.ts';
import type { DemoAccess } from './docs/demo-access.ts';
import { docsRoom, operatorDocsRoom } from './docs/room.ts';
import { signingChainsRoom } from './signing-chains.ts';
import type { WholeEnvironment } from './whole-environment.ts';

export type Room = (app: FastifyInstance, env: WholeEnvironment) => Promise<void>;

/** The operator's interface, on the environment's port or on one of its own. */
export const operatorRooms: readonly Room[] = [operatorRoom, operatorDocsRoom];

/**
 * `demo` is filled in on the pages of a server that only this machine reaches. Operators use the panel on the port of
 * their interface.
 */
export const roomsWith = (
  handlers: readonly TaskHandler[],
  clockMovers: ClockMovers,
  demo: DemoAccess | null = null,
  panel: PanelOptions = { operators: true },
  worlds: Worlds | null = null,
): readonly Room[] => [
  platformRoom,
  verificationRoom,
  receiptsRoom,
  sandboxRoom(handlers, clockMovers, worlds),
  panelRoom(panel),
  docsRoom(demo),
  signingChainsRoom,
];

/** What a world has under its path: everybody may move its clock, and it has no panel. */
export const worldRooms = (handlers: readonly TaskHandler[]): readonly Room[] => [
  platformRoom,
  verificationRoom,
  receiptsRoom,
  sandboxRoom(handlers, 'any'),
  docsRoom(null),
];
