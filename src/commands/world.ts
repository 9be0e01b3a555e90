/** `world new|list|reset|end`: the worlds of a running sandbox. `listen`: its callbacks and events, as they come. */
import { OperatorError } from '../operator-error.ts';
import { defineCommand } from './command.ts';
import { controlOf, controlOptions } from './sandbox-control.ts';

interface World {
  id: string;
  url: string;
  name: string | null;
  from: string;
  created_at: string;
}

interface NewWorld {
  id: string;
  url: string;
  api_key: string;
  otp_application: { key: string; secret: string };
  sip?: { host: string; port: number };
}

interface Delivery {
  id: string;
  kind: string;
  status: string;
  attempts: number;
  payload: unknown;
  created_at: string;
}

const waitSeconds = 30;

export const worldCommands = [
  defineCommand({
    name: 'world new',
    summary: 'Make a world: a sandbox of its own, for tests.',
    options: {
      ...controlOptions,
      from: { type: 'string', value: 'STATE', summary: 'demo, empty, current, or the name of a snapshot (demo)' },
      name: { type: 'string', value: 'NAME', summary: 'a name to know it by' },
      sip: { type: 'boolean', summary: 'with SIP on a port of its own' },
    },
    run: async ({ values, printTable }) => {
      const { from, name, sip } = values;
      const body = Object.fromEntries(Object.entries({ from, name, sip }).filter(([, value]) => value !== undefined));
      const made = (await controlOf(values)('POST', '/worlds', body)) as NewWorld;
      printTable(
        ['id', 'url', 'api key', 'otp key', 'otp secret', ...(made.sip ? ['sip'] : [])],
        [
          [
            ...[made.id, made.url, made.api_key, made.otp_application.key, made.otp_application.secret],
            ...(made.sip ? [`${made.sip.host}:${made.sip.port}`] : []),
          ],
        ],
        '',
      );
    },
  }),
  defineCommand({
    name: 'world list',
    summary: 'List your worlds.',
    options: controlOptions,
    run: async ({ values, printTable }) => {
      const { worlds } = (await controlOf(values)('GET', '/worlds')) as { worlds: World[] };
      const rows = worlds.map(({ id, url, from, name, created_at }) => [id, url, from, name ?? '', created_at]);
      printTable(['id', 'url', 'from', 'name', 'made'], rows, 'There is no world.');
    },
  }),
  defineCommand({
    name: 'world reset',
    summary: 'Bring a world back to how it began.',
    positionals: ['ID'],
    options: controlOptions,
    run: async ({ values, positionals: [id = ''], out }) => {
      await controlOf(values)('POST', `/worlds/${encodeURIComponent(id)}/reset`, {});
      out(`${id} is as it began.`);
    },
  }),
  defineCommand({
    name: 'world end',
    summary: 'End a world.',
    positionals: ['ID'],
    options: controlOptions,
    run: async ({ values, positionals: [id = ''], out }) => {
      await controlOf(values)('DELETE', `/worlds/${encodeURIComponent(id)}`);
      out(`${id} has ended.`);
    },
  }),
  defineCommand({
    name: 'listen',
    summary: 'Print the callbacks and call events of a sandbox as they come, and forward them.',
    options: {
      ...controlOptions,
      forward: { type: 'string', value: 'URL', summary: 'send each of them there by POST as well' },
      count: { type: 'string', value: 'N', summary: 'stop after so many' },
    },
    notes: 'What is forwarded is the payload as JSON, without the signature of a callback.',
    run: async ({ values, out }) => {
      const send = controlOf(values);
      const seen = new Set<string>();
      let left = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count);
      if (!(left > 0)) throw new OperatorError('--count must be a number greater than 0.');
      let { now: since } = (await send('GET', '/clock')) as { now: string };
      while (left > 0) {
        const path = `/deliveries?wait=${waitSeconds}&since=${encodeURIComponent(since)}`;
        const { deliveries } = (await send('GET', path)) as { deliveries: Delivery[] };
        const fresh = deliveries.filter(({ id, kind }) => !seen.has(`${kind} ${id}`)).toReversed();
        for (const delivery of fresh.slice(0, left)) {
          seen.add(`${delivery.kind} ${delivery.id}`);
          left -= 1;
          since = delivery.created_at;
          out(`${delivery.created_at} ${delivery.kind} ${JSON.stringify(delivery.payload)}`);
          if (values.forward !== undefined) await forward(values.forward, delivery.payload, out);
        }
        // What was seen already is returned at once, so there is a pause before the next look.
        if (fresh.length === 0) await new Promise((resolve) => setTimeout(resolve, 500));
      }
    },
  }),
];

async function forward(url: string, payload: unknown, out: (line: string) => void): Promise<void> {
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
    out(`  ${url} answered ${status}`);
  } catch {
    out(`  ${url} does not answer`);
  }
}
