/** Calls of this server itself are signed as customers' calls are; a withheld number is not. */
import { X509Certificate } from 'node:crypto';
import { compactVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testAuthority } from '../../engines/stir/test-authority.fixture.ts';
import { createWorld, type World } from '../b2bua/world.fixture.ts';
import { createSigningCertificate } from '../caller-identity/signing-certificates.ts';
import { createCarrier } from '../voice/carriers/carriers.ts';
import { findCarrier } from '../voice/carriers/find-routes.ts';
import { placeTestCall } from './test-call.ts';

const root = testAuthority();
const signer = root.issue({ name: 'Operator' });

let world: World;
beforeAll(async () => {
  world = await createWorld();
  world.world.env.sip.endpoint = world.endpoint;
  await createSigningCertificate(world.world.env, {
    ...{ name: 'own', chain: signer.pem + root.pem, privateKey: signer.keyPem, url: 'https://certs.test/a.pem' },
  });
});
afterAll(() => world.close());

/** What the carrier is told by a test call. */
async function identityOf(caller: string | null, signCalls = true): Promise<string | undefined> {
  const { env } = world.world;
  const carrier = await world.phone();
  carrier.onCall = (call) => call.reject(486);
  const name = `to ${carrier.port}`;
  const id = await createCarrier(env, { name, host: '127.0.0.1', port: carrier.port, signCalls });
  const route = (await findCarrier(env, id)) ?? expect.unreachable();
  const called = { destination: '4930123456', caller };
  expect(await placeTestCall(env, route, called, new AbortController().signal)).toMatchObject({ code: 486 });
  return carrier.invites[0]?.headers.first('Identity');
}

test('with the number of the settings, attested A, and this environment as the origin', async () => {
  const [token = ''] = (await identityOf('4930100555'))?.split(';') ?? [];
  const { payload } = await compactVerify(token, new X509Certificate(signer.pem).publicKey);
  const { rows } = await world.world.env.pool.query('select origid from environment_state');
  expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
    ...{ attest: 'A', orig: { tn: '4930100555' }, dest: { tn: ['4930123456'] }, origid: rows[0]?.origid },
  });
});

test('not without a number, and not for a carrier that wants none', async () => {
  expect(await identityOf(null)).toBeUndefined();
  expect(await identityOf('4930100555', false)).toBeUndefined();
});
