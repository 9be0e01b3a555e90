/** Sends requests and measures rates and latencies. */
import { Pool } from 'undici';

/** A closed loop of clients: each sends its next request when the last got its response. */
interface LoadOptions {
  clients: number;
  seconds: number;
  headers?: Record<string, string>;
}

/**
 * Responses a second, every one of which must be a 200. A time instead of a number: a busy machine makes no run longer.
 */
export async function requestsPerSecond(url: string, options: LoadOptions): Promise<number> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: options.clients });
  let done = 0;
  const started = performance.now();
  const until = started + options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.clients }, async () => {
      while (performance.now() < until) {
        const { statusCode, body } = await pool.request({
          path: pathname + search,
          method: 'GET',
          headers: { accept: 'application/vnd.api+json', ...options.headers },
        });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 300)}`);
        done += 1;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return done / seconds;
}

/** The median latency in milliseconds of one client that asks again and again. */
export async function medianLatency(url: string, headers: Record<string, string>, requests: number): Promise<number> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: 1 });
  const times: number[] = [];
  for (let i = 0; i < requests; i += 1) {
    const started = performance.now();
    const { statusCode, body } = await pool.request({ path: pathname + search, method: 'GET', headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 300)}`);
    times.push(performance.now() - started);
  }
  await pool.close();
  return median(times);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * The ratio of two rates. Both are measured in turns, several rounds, so that whatever else the machine does falls on
 * both alike; the median of the rounds' ratios counts.
 */
export async function compareRates(
  rounds: number,
  left: () => Promise<number>,
  right: () => Promise<number>,
): Promise<{ ratio: number; left: number; right: number }> {
  const pairs: { left: number; right: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0;
    const a = first ? await left() : 0;
    const b = await right();
    pairs.push({ left: first ? a : await left(), right: b });
  }
  return {
    ratio: median(pairs.map((pair) => pair.left / pair.right)),
    left: median(pairs.map((pair) => pair.left)),
    right: median(pairs.map((pair) => pair.right)),
  };
}
