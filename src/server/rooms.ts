/** The rooms that answer on an environment's port. Each is registered in a scope of its own. */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../environment.ts';
import { sandboxRoom } from '../sandbox/routes.ts';

export type Room = (app: FastifyInstance, env: Environment) => Promise<void>;

export const rooms: readonly Room[] = [sandboxRoom];
