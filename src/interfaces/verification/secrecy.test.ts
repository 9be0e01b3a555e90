/** Codes and secrets are in no log, job, table or metric. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { openSmsc, type Smsc } from '../../../test/support/smsc.ts';
import { VerificationClient } from '../../../test/support/verification-client.ts';
import { listen } from '../../../test/support/verification-server.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { createHttpServer } from '../server/http-server.ts';
import type { WholeEnvironment } from '../server/whole-environment.ts';
import { createApplication } from './application.writes.ts';
import { dispatchVerification } from './delivery/dispatch.ts';
import { saveProvider, saveRoute } from './delivery/manage-providers.ts';
import { closeProviders } from './delivery/opened-providers.ts';
import { verificationRoom } from './room.ts';

/** Neither a code nor a secret may be found anywhere but where it belongs, whatever goes wrong. */
let environment: TestEnvironment;
let env: WholeEnvironment;
let smsc: Smsc;
let log = '';

beforeAll(async () => {
  environment = await createTestEnvironment({ name: 'production' });
  const everything = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  env = { ...environment.env, log: pino({ level: 'trace' }, everything) };
  smsc = await openSmsc();
});
afterAll(async () => {
  await closeProviders(env);
  await smsc.close();
  await environment.close();
});

it('codes and secrets are in no log, no job, no table and no metric', async () => {
  const account = await createAccount(env, { name: 'Acme', balance: '10' });
  const application = await createApplication(env, account.id, {
    name: 'web',
    codeLength: 8,
    callbackUrl: 'http://127.0.0.1:1/',
  });
  const secret = application.secret.reveal();
  const providerSecret = 'hushhush';
  const smpp = { host: '127.0.0.1', port: smsc.port, system_id: 'trunkline' };
  await saveProvider(env, { name: 'refusing', kind: 'smpp', settings: smpp, secret: providerSecret });
  await saveProvider(env, { name: 'taking', kind: 'smpp', settings: smpp, secret: 'secret' });
  await saveRoute(env, { deliveryMethod: 'sms', prefix: '', provider: 'refusing' }, 1);
  await saveRoute(env, { deliveryMethod: 'sms', prefix: '', provider: 'taking' }, 2);

  const app = await createHttpServer(env, { rooms: [verificationRoom] });
  const url = await listen(app);
  const signed = new VerificationClient(url, { key: application.key, secret });
  const started = await signed.start({ destination: '4915112345678', delivery_method: 'sms' });
  const id = started.body.data?.id ?? '';
  const { rows: jobs } = await env.pool.query('select payload from jobs');
  const { signal } = new AbortController();
  const context = { env, dueAt: env.clock.now(), attempt: 1, maxAttempts: 25, stopping: signal, signal };
  await dispatchVerification.run({ verification_id: id }, context);
  const code = /\d{8}/.exec(smsc.messages[0]?.text ?? '')?.[0] ?? 'none';
  await signed.report(id, `${code}9`);
  const basic = new VerificationClient(url, { key: application.key, secret }, 'basic');
  await basic.start({ destination: '4915112345679', delivery_method: 'sms' });
  await fetch(`${url}/api/v1/verifications/by_number/4915112345678`);
  await fetch(`${url}/api/v1/verifications/by_number/%2B4915112345678/${code}?code=${code}`);
  expect((await signed.report(id, code)).body.data?.status).toBe('verified');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  await app.close();

  expect(log).toContain('a provider did not take a message');
  const { rows: stored } = await env.pool.query(
    `select (select json_agg(v) from verifications v)::text || (select json_agg(a) from otp_applications a)::text
       || (select json_agg(p) from verification_providers p)::text as text`,
  );
  for (const place of [log, JSON.stringify(jobs), stored[0]?.text, metrics]) {
    expect(place).toMatch(/\S/);
    for (const hidden of [
      code,
      secret,
      providerSecret,
      Buffer.from(`${application.key}:${secret}`).toString('base64'),
    ]) {
      expect(place).not.toContain(hidden);
    }
  }
  for (const number of ['4915112345678', '4915112345679']) expect(log).not.toContain(number);
  expect(log).toContain('/api/v1/verifications/by_number/[masked]');
});
