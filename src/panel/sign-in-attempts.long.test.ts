import { describe, expect, it, test } from 'vitest';
import { login, PanelClient } from '../../test/support/panel-client.ts';
import { startTestServer } from '../../test/support/server.ts';
import { useOpened } from '../../test/support/use.ts';
import { attemptsOf, waitAfter } from './sign-in-attempts.ts';

const server = useOpened(() =>
  startTestServer({
    name: 'production',
    account: { name: 'Acme', ...login },
    server: { trustedProxies: ['127.0.0.1'] },
  }),
);

const wrong = { ...login, password: 'not the password' };

test.each([
  [4, 0],
  [5, 30],
  [6, 60],
  [7, 120],
  [9, 480],
  [10, 900],
  [500, 900],
])('after %i failures one waits %i seconds', (failures, seconds) => {
  expect(waitAfter(failures, 5)).toBe(seconds);
});

describe('guessing', () => {
  it('is refused for a while after five failures, with the right password too, and longer after each further one', async () => {
    const guesser = new PanelClient(server.url, '198.51.100.1');
    for (let n = 0; n < 5; n += 1) expect((await guesser.signIn(wrong)).status).toBe(401);
    const locked = await guesser.signIn();
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '30']);
    // Somebody else still gets in, and the failures of the guesser stay counted.
    expect((await new PanelClient(server.url, '203.0.113.9').signIn()).status).toBe(201);
    server.clock.advance(30);
    expect((await guesser.signIn(wrong)).status).toBe(401);
    expect((await guesser.signIn()).headers.get('retry-after')).toBe('60');
    server.clock.advance(60);
    expect((await guesser.signIn()).status).toBe(201);
    expect((await guesser.signIn(wrong)).status).toBe(401);
  });

  it('counts for an address that belongs to no account in the same way', async () => {
    const guesser = new PanelClient(server.url, '198.51.100.2');
    const nobody = { ...wrong, email: 'nobody@acme.test' };
    for (let n = 0; n < 5; n += 1) expect((await guesser.signIn(nobody)).status).toBe(401);
    expect((await guesser.signIn(nobody)).status).toBe(429);
  });

  it('is counted before the password is checked, for parallel attempts in any process', async () => {
    const waits = await Promise.all(
      Array.from({ length: 12 }, () => attemptsOf(server.env, 'parallel@acme.test', '198.51.100.3').begin()),
    );
    expect(waits.filter(({ waitSeconds }) => waitSeconds === 0)).toHaveLength(5);
  });

  it('is forgotten after a day', async () => {
    const attempts = attemptsOf(server.env, 'day@acme.test', '198.51.100.4');
    for (let n = 0; n < 5; n += 1) await attempts.begin();
    expect(await attempts.begin()).toEqual({ waitSeconds: 30, isLast: false });
    server.clock.advance(24 * 3600);
    for (let n = 0; n < 4; n += 1) expect(await attempts.begin()).toEqual({ waitSeconds: 0, isLast: false });
    expect(await attempts.begin()).toEqual({ waitSeconds: 0, isLast: true });
  });
});
