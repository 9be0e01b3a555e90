/** Signing in where two processes serve one database: guesses are counted together, and a session is one session. */
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { createProcesses } from '../../../test/support/processes.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import { createHttpServer } from '../server/http-server.ts';
import { roomsWith } from '../server/rooms.ts';

const opened = useOpened(async () => {
  const processes = await createProcesses();
  const servers = await Promise.all(
    ['first', 'second'].map(async () => {
      const env = await processes.start();
      const app = await createHttpServer(env, { rooms: roomsWith(taskHandlers, 'any') });
      await app.listen({ host: '127.0.0.1', port: 0 });
      return { env, app, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
    }),
  );
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error('two servers are needed');
  await createAccount(first.env, { name: 'Acme', ...login });
  await createAccount(first.env, {
    name: 'Guessed',
    email: 'guessed@acme.test',
    password: 'a password nobody guesses',
  });
  return {
    urls: [first.url, second.url] as const,
    close: async () => {
      for (const { app } of servers) await app.close();
      await processes.close();
    },
  };
});

test('guesses at one process count at the other: the sixth waits, with the right password too', async () => {
  const clients = opened.urls.map((url) => new PanelClient(url));
  const guess = (n: number) =>
    clients[n % 2]?.signIn({ email: 'guessed@acme.test', password: `guess number ${n}` }).then(({ status }) => status);
  for (let n = 0; n < 5; n += 1) expect(await guess(n)).toBe(401);
  for (const client of clients) {
    const refused = await client.signIn({ email: 'guessed@acme.test', password: 'a password nobody guesses' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  }
});

test('a session of one process is one at the other, and ends at both', async () => {
  const [here, there] = opened.urls.map((url) => new PanelClient(url));
  if (here === undefined || there === undefined) throw new Error('two clients are needed');
  await here.signIn();
  there.cookie = here.cookie;
  expect((await there.get('/v3/balance')).status).toBe(200);
  expect((await there.delete('/panel/v1/session')).status).toBe(204);
  expect((await here.get('/v3/balance')).status).toBe(401);
});
