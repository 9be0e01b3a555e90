/**
 * The peer of `bench/wire`: what the machine can do without an engine. A bare Fastify handler per measured call, the
 * fewest prepared statements that an ideal schema needs (rows by an index, totals and flags from one counter row) and
 * `JSON.stringify`; and every document that it was given with PUT, sent from memory. Started as a process of its own;
 * prints its address.
 */
import { hash } from 'node:crypto';
import Fastify from 'fastify';
import { createPool } from '../../src/engines/db/pool.ts';
import { registerLeastLists } from './least-lists.ts';

const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL is missing');
const pool = createPool(url, { max: 20 });
const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });
const media = 'application/vnd.api+json';
const kept = new Map<string, Buffer>();

app.addContentTypeParser(media, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.put('/bytes/*', async (request, reply) => {
  kept.set(request.url, request.body as Buffer);
  return reply.code(204).send();
});
app.get('/bytes/*', (request, reply) => {
  reply.header('content-type', media).send(kept.get(request.url));
});

const balance = `select a.balance, a.credit, a.balance + a.credit as total, a.id from api_keys k join accounts a on a.id = k.account_id
  where k.key_hash = $1 and k.revoked_at is null`;
app.get('/v3/balance', async (request, reply) => {
  const key = hash('sha256', String(request.headers['api-key']), 'buffer');
  const { rows } = await pool.query({ name: 'balance', text: balance, values: [key] });
  const [row] = rows;
  const money = (text: string) => Number(text).toFixed(2);
  reply.header('content-type', media);
  return JSON.stringify({
    data: {
      id: row.id,
      type: 'balances',
      attributes: { balance: money(row.balance), credit: money(row.credit), total_balance: money(row.total) },
    },
    meta: { api_version: '2026-04-16' },
  });
});
registerLeastLists(app, pool);
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
