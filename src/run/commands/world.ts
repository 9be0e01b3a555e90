/** `world new|list|reset|end`: the worlds of a running sandbox. */
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
];
