/** Guessing passwords is slowed down, without locking anybody out. */
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
    expect(waits.filter(({ waitSeconds }) => waitSeconds === 0).length).toBeLessThanOrEqual(5);
  });

  it('waits for no other attempt, however long one takes', async () => {
    await attemptsOf(server.env, 'slow@acme.test', '198.51.100.5').begin();
    const other = await server.env.db.transaction().execute(async (trx) => {
      // An attempt that is being stored, and holds every lock it ever gets.
      await attemptsOf({ ...server.env, db: trx }, 'slow@acme.test', '198.51.100.5').begin();
      return await attemptsOf(server.env, 'slow@acme.test', '198.51.100.5').begin();
    });
    expect(other).toEqual({ waitSeconds: 0, isLast: false });
  });

  it('leaves no row of an attempt that was refused, and none of the person after a success', async () => {
    const attempts = attemptsOf(server.env, 'rows@acme.test', '198.51.100.6');
    const rows = async (): Promise<number> => {
      const { count } = await server.env.db
        .selectFrom('sign_in_failures')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    };
    const before = await rows();
    for (let n = 0; n < 5; n += 1) await attempts.begin();
    expect(await rows()).toBe(before + 15);
    await attempts.begin();
    expect(await rows()).toBe(before + 15);
    await attempts.succeeded();
    // The failures before it still count for the client's address.
    expect(await rows()).toBe(before + 5);
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
