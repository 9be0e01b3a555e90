/** A phone in the browser where media flow past this process: it is told why it can talk to nobody. */
import { expect, test } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import { Registration } from '../../engines/sip/registrar/registration.ts';
import { createHttpServer } from '../../interfaces/server/http-server.ts';
import { createWorld } from './world.fixture.ts';

const opened = useOpened(async () => {
  const world = await createWorld({ media: null });
  const app = await createHttpServer(
    { ...world.world.env, sip: { endpoint: world.endpoint } },
    { rooms: [], trustedProxies: [] },
  );
  const url = `${(await app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')}/sip`;
  const close = async () => {
    await world.close();
    await app.close();
  };
  return { world, url, close };
});

const why = 'Browsers need a media engine, and TRUNKLINE_MEDIA is direct';

test('it rings for no plain caller, who is told why, and it calls nobody', async () => {
  const { world, url } = opened;
  const account = { username: 'web', password: 'long enough' };
  const waiting = { host: null, enabled_sip_registration: true, incoming_auth_username: account.username };
  const { number } = await world.number([0], { ...waiting, incoming_auth_password: account.password });
  const [browser, caller] = [await world.phone({ webSocket: { url } }), await world.phone()];
  const target = { transport: 'WS', address: '127.0.0.1', port: Number(new URL(url).port) } as const;
  const registered = Promise.withResolvers<void>();
  const options = { registrar: 'sip:127.0.0.1', addressOfRecord: 'sip:web@127.0.0.1', target, account, expires: 600 };
  const failed = (status: number) => registered.reject(new Error(String(status)));
  new Registration(browser.agent, options, { registered: () => registered.resolve(), failed }).start();
  await registered.promise;
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['failed 488']);
  expect(caller.responses.at(-1)?.headers.first('Reason')).toContain(why);
  expect(browser.invites).toHaveLength(0);
  browser.dial('4930123456', { account });
  await expect.poll(() => browser.events).toEqual(['failed 488']);
  expect(browser.responses.at(-1)?.headers.first('Reason')).toContain(why);
});
