/** Guessing passwords is slowed down, without locking anybody out. */
import { createHook } from 'node:async_hooks';
import { describe, expect, it, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { byBootstrap } from '../operator/act.ts';
import { updateOperator } from '../operator/operators.writes.ts';
import { attemptsOf } from './sign-in-attempts.ts';
import { waitAfter } from './sign-in-standing.ts';

/** How many password hashes this process computes meanwhile. */
async function hashesComputed(work: () => Promise<void>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'SCRYPTREQUEST') count += 1;
    },
  }).enable();
  await work();
  hook.disable();
  return count;
}

const server = useOpened(() =>
  startTestServer({
    name: 'production',
    account: { name: 'Acme', ...login },
    server: { trustedProxies: ['127.0.0.1'] },
  }),
);

const attempting = (email: string, ip: string, env = server.env) => attemptsOf(env, [email], ip);
const fail = async (email: string, ip: string) => {
  const attempts = attempting(email, ip);
  const begun = await attempts.begin();
  await attempts.check(async () => null);
  return begun;
};

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
    let checked = 0;
    const gate = Promise.withResolvers<void>();
    const attempt = async () => {
      const attempts = attempting('parallel@acme.test', '198.51.100.3');
      if ((await attempts.begin()).waitSeconds > 0) return;
      checked += 1;
      await attempts.check(async () => {
        await gate.promise;
        return null;
      });
    };
    const all = Promise.all(Array.from({ length: 12 }, attempt));
    await expect.poll(() => checked).toBeGreaterThan(0);
    gate.resolve();
    await all;
    expect(checked).toBeLessThanOrEqual(5);
  });

  it('does not refuse right passwords that come together, also after some failures', async () => {
    const client = () => new PanelClient(server.url, '198.51.100.7');
    for (let n = 0; n < 4; n += 1) expect((await client().signIn(wrong)).status).toBe(401);
    const together = await Promise.all(Array.from({ length: 4 }, () => client().signIn()));
    expect(together.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });

  it('waits for no other attempt that fits, however long one takes', async () => {
    await fail('slow@acme.test', '198.51.100.5');
    const other = await server.env.db.transaction().execute(async (trx) => {
      // An attempt that is being stored, and holds every lock it ever gets.
      await attempting('slow@acme.test', '198.51.100.5', { ...server.env, db: trx }).begin();
      return await attempting('slow@acme.test', '198.51.100.5').begin();
    });
    expect(other).toMatchObject({ waitSeconds: 0, isLast: false });
  });

  it('leaves no row of an attempt that was refused, or could not be checked, and none of the login after a success', async () => {
    const [email, ip] = ['rows@acme.test', '198.51.100.6'];
    const rows = async (): Promise<number> => {
      const { count } = await server.env.db
        .selectFrom('sign_in_failures')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    };
    const before = await rows();
    for (let n = 0; n < 4; n += 1) await fail(email, ip);
    const broken = attempting(email, ip);
    await broken.begin();
    await expect(broken.check(() => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    expect(await rows()).toBe(before + 12);
    await fail(email, ip);
    expect((await attempting(email, ip).begin()).waitSeconds).toBe(30);
    expect(await rows()).toBe(before + 15);
    await attempting(email, ip).succeeded(email);
    // The failures before it still count for the client's address.
    expect(await rows()).toBe(before + 5);
  });

  it('is forgotten after a day', async () => {
    const [email, ip] = ['day@acme.test', '198.51.100.4'];
    for (let n = 0; n < 5; n += 1) await fail(email, ip);
    expect(await attempting(email, ip).begin()).toMatchObject({ waitSeconds: 30, isLast: false });
    server.clock.advance(24 * 3600);
    for (let n = 0; n < 4; n += 1) expect(await fail(email, ip)).toMatchObject({ waitSeconds: 0, isLast: false });
    expect(await attempting(email, ip).begin()).toMatchObject({ waitSeconds: 0, isLast: true });
  });

  it('is not forgotten elsewhere when the person gets in', async () => {
    const email = 'elsewhere@acme.test';
    for (let n = 0; n < 50; n += 1) await fail(email, `203.0.${n}.1`);
    const own = attempting(email, '198.51.100.8');
    await own.succeeded(email);
    expect((await own.begin()).waitSeconds).toBeGreaterThan(0);
  });
});

describe('an operator whose address a customer has invited', () => {
  it('is guessed no faster by the customer, who signs in under the same address in between', async () => {
    const { email } = await addOperator(server);
    const owner = new PanelClient(server.url, '198.51.100.20');
    await owner.signIn();
    const invited = await owner.post('/panel/v1/members', {
      data: { type: 'members', attributes: { email, role: 'read-only' } },
    });
    const token = String(invited.resource.attributes.invitation).split('#')[1];
    const own = 'the password of the customer';
    await owner.post('/panel/v1/login/set', { token, password: own });
    const customer = new PanelClient(server.url, '198.51.100.21');
    const guess = (n: number) => customer.signIn({ email, password: `guess number ${n}` });
    for (let n = 0; n < 4; n += 1) expect((await guess(n)).status).toBe(401);
    expect((await customer.signIn({ email, password: own })).status).toBe(201);
    expect((await guess(5)).status).toBe(401);
    // The operator's own login has had five failures from here: even its right password is not looked at.
    const operator = { email, password: 'the password of the operator' };
    const { rows } = await server.env.pool.query('select id from operators where email = $1', [email]);
    await updateOperator(byBootstrap(server.env), rows[0].id, { password: operator.password });
    expect((await customer.signIn(operator)).status).toBe(401);
    expect((await new PanelClient(server.url, '198.51.100.22').signIn(operator)).status).toBe(201);
  });

  it('takes as much work as an address that nobody has, and as one of a customer', async () => {
    const { email } = await addOperator(server);
    const counts: number[] = [];
    for (const [n, address] of ['nobody-at-all@acme.test', login.email, email].entries()) {
      const client = new PanelClient(server.url, `198.51.100.${30 + n}`);
      const attempt = { email: address, password: 'wrong password' };
      counts.push(await hashesComputed(async () => void (await client.signIn(attempt))));
    }
    expect(counts).toEqual([3, 3, 3]);
  });
});
