/** What the verification service costs over its SQL, and how a start keeps its speed while records pile up. */
import pg from 'pg';
import { Pool } from 'undici';
import { createAccount } from '../src/business/accounts/accounts.ts';
import type { Environment } from '../src/engines/environment.ts';
import type { OtpApplication } from '../src/interfaces/verification/application.ts';
import { createApplication } from '../src/interfaces/verification/application.writes.ts';
import { VerificationClient } from '../test/support/verification-client.ts';
import type { Http } from './kept-connections.ts';
import { compareRates, median } from './load.ts';
import type { Bench, Row } from './row.ts';
import { cycleByHand } from './servers/verification-by-hand.ts';
import { fillVerifications } from './verification-stock.ts';
import { openWorld, type World } from './world.ts';

const clientCount = 16;
const cycleCount = 800;
const rounds = 9;
const storedCount = Number(process.env.BENCH_VERIFICATIONS ?? 10_000_000);

export const verification: Bench = {
  name: 'verification',
  run: async () => {
    const world = await openWorld();
    try {
      return [await cycles(world), await growth(world)];
    } finally {
      await world.close();
    }
  },
};

async function cycles(world: World): Promise<Row> {
  const application = await prepare(world, 'cycles');
  // A line of log per request is no part of what is compared.
  const served = await world.serve('cycles', { TRUNKLINE_LOG_LEVEL: 'warn' });
  const client = signing(served.url, application);
  const http = new Pool(served.url, { connections: 2 * clientCount });
  // A database of its own: no worker of ours must wake up for its jobs.
  const byHand = await prepare(world, 'by_hand');
  const sql = new pg.Pool({ connectionString: world.server.url('by_hand'), max: clientCount });
  try {
    const ours = () => cyclesPerSecond(() => cycleOverHttp(http, client, served.key));
    const bare = () => cyclesPerSecond((index) => cycleByHand(sql, byHand, number(), `by_hand_${index}`));
    // Both once before, for compiled code and open connections.
    await ours();
    await bare();
    const rates = await compareRates(rounds, ours, bare);
    return {
      measure: `start, inbox and signed report, ${clientCount} clients: Trunkline over HTTP / the same steps by hand`,
      ratio: rates.ratio,
      required: { atLeast: 0.6 },
      note: `${rates.left.toFixed(0)} and ${rates.right.toFixed(0)} cycles/s`,
    };
  } finally {
    await Promise.all([http.close(), sql.end()]);
  }
}

/** A start in an empty table next to one among many, in turns. */
async function growth(world: World): Promise<Row> {
  const empty = signing((await serveStarts(world, 'empty', 0)).url, applicationOf('empty'));
  const full = signing((await serveStarts(world, 'full', storedCount)).url, applicationOf('full'));
  const times: { empty: number[]; full: number[] } = { empty: [], full: [] };
  for (let i = 0; i < 1200; i++) {
    const [small, large] = [await startTime(empty), await startTime(full)];
    // The first ones pay for cold caches and compiled code.
    if (i < 200) continue;
    times.empty.push(small);
    times.full.push(large);
  }
  return {
    measure: `start with ${storedCount.toLocaleString('en')} stored verifications / with none, median latency`,
    ratio: median(times.full) / median(times.empty),
    required: { atMost: 1.5 },
    note: `${median(times.full).toFixed(2)} ms and ${median(times.empty).toFixed(2)} ms`,
  };
}

const made = new Map<string, OtpApplication>();

async function prepare(
  world: World,
  database: string,
  work: (env: Environment, id: OtpApplication) => Promise<void> = async () => undefined,
): Promise<OtpApplication> {
  await world.prepare(database, async (env) => {
    const account = await createAccount(env, { name: 'Bench', balance: '100000000' });
    const application = await createApplication(env, account.id, { name: 'bench' });
    made.set(database, application);
    await work(env, application);
  });
  return applicationOf(database);
}

async function serveStarts(world: World, database: string, stored: number) {
  await prepare(world, database, (env, application) => fillVerifications(env, application, stored));
  return world.serve(database, { TRUNKLINE_ROLES: 'api' });
}

function applicationOf(database: string): OtpApplication {
  const application = made.get(database);
  if (application === undefined) throw new Error(`${database} was not prepared`);
  return application;
}

function signing(url: string, { key, secret }: OtpApplication): VerificationClient {
  return new VerificationClient(url, { key, secret: secret.reveal() });
}

let lastNumber = 0;
/** Mobile numbers of Germany that are nobody's, never the same twice: the second start would meet the cooldown. */
const number = () => `4915${String(++lastNumber).padStart(9, '0')}`;

async function cyclesPerSecond(cycle: (client: number) => Promise<void>): Promise<number> {
  let left = cycleCount;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clientCount }, async (_, client) => {
      while (left-- > 0) await cycle(client);
    }),
  );
  return cycleCount / ((performance.now() - began) / 1000);
}

/** One verification from start to report. */
export async function cycleOverHttp(http: Http, client: VerificationClient, apiKey: string): Promise<void> {
  const send = async (
    method: 'POST' | 'PATCH' | 'GET',
    path: string,
    body: string | null,
    headers: Record<string, string>,
  ) => {
    const answer = await http.request({ method, path, body, headers });
    const text = await answer.body.text();
    if (answer.statusCode > 299) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    return JSON.parse(text);
  };
  const destination = number();
  const signed = (method: 'POST' | 'PATCH', path: string, data: Record<string, unknown>) => {
    const text = JSON.stringify({ data });
    return send(method, path, text, client.headers(method, path, text));
  };
  const started = await signed('POST', '/api/v1/verifications', { destination, delivery_method: 'sms' });
  const inbox = await send('GET', `/sandbox/v1/messages?destination=${destination}&wait=10`, null, {
    'api-key': apiKey,
  });
  const path = `/api/v1/verifications/${started.data.id}`;
  const reported = await signed('PATCH', path, { delivery_method: 'sms', code: inbox.messages[0].code });
  if (reported.data.status !== 'verified') throw new Error(`the report left it ${reported.data.status}`);
}

async function startTime(client: VerificationClient): Promise<number> {
  const began = performance.now();
  const { status } = await client.start({ destination: number(), delivery_method: 'sms' });
  if (status !== 201) throw new Error(`a start was answered ${status}`);
  return performance.now() - began;
}
