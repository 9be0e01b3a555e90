/**
 * The peer of the engine: a bare Fastify handler per measured call that runs the same SQL by hand and writes the same
 * document with nothing in between. Started as a process of its own; prints its address.
 */
import Fastify from 'fastify';
import { createPool } from '../../src/engines/db/pool.ts';
import { registerBareAvailableDids } from './bare-available-dids.ts';
import { registerBareDidGroups } from './bare-did-groups.ts';

const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL is missing');
const pool = createPool(url, { max: 20 });
const app = Fastify();
registerBareAvailableDids(app, pool);
registerBareDidGroups(app, pool);
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${address}\n`);
