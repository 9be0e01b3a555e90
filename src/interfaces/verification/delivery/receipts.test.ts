/** Delivery receipts of providers. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestEnvironment, runDueJobs, type TestEnvironment } from '../../../../test/support/environment.ts';
import { VerificationClient } from '../../../../test/support/verification-client.ts';
import { listen } from '../../../../test/support/verification-server.ts';
import { createAccount } from '../../../business/accounts/accounts.ts';
import { createHttpServer } from '../../server/http-server.ts';
import { createApplication } from '../application.writes.ts';
import { verificationRoom } from '../room.ts';
import { renewReceiptSecret, saveProvider, saveRoute } from './manage-providers.ts';
import { closeProviders } from './opened-providers.ts';
import { receiptsRoom } from './receipts.ts';

let house: TestEnvironment;
let url: string;
let client: VerificationClient;
let secret: string;
let sent = 0;
const provider = createServer((request, response) => {
  request.resume().on('end', () => response.end(`{"id":"m-${++sent}"}`));
});
let closeApp: () => Promise<void>;

beforeAll(async () => {
  house = await createTestEnvironment({ name: 'production' });
  const { env } = house;
  const app = await createHttpServer(env, { rooms: [verificationRoom, receiptsRoom] });
  closeApp = () => app.close();
  url = await listen(app);
  const account = await createAccount(env, { name: 'Acme', balance: '100' });
  const made = await createApplication(env, account.id, { name: 'web' });
  client = new VerificationClient(url, { key: made.key, secret: made.secret.reveal() }, 'application', '');
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const address = provider.address();
  const settings = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`,
    message_id: '"id":"([^"]+)"',
    receipt: { message_id: '(?:"message":"|message=)([\\w-]+)', delivered: 'DELIVERED', failed: 'UNDELIVERABLE' },
  };
  await saveProvider(env, { name: 'web', kind: 'http', settings });
  await saveRoute(env, { deliveryMethod: 'sms', prefix: '', provider: 'web' }, 1);
  secret = await renewReceiptSecret(env, 'web');
});
afterAll(async () => {
  await closeApp();
  await closeProviders(house.env);
  provider.closeAllConnections();
  provider.close();
  await house.close();
});

async function started() {
  const destination = `4915100${String(sent).padStart(6, '0')}`;
  const { body } = await client.start({ destination, delivery_method: 'sms' });
  await runDueJobs(house.env);
  return { id: body.data?.id ?? '', message: `m-${sent}` };
}

const report = (body: string | null, init: { headers?: Record<string, string>; query?: string } = {}) =>
  fetch(`${url}/providers/web/receipts${init.query ?? ''}`, {
    method: body === null ? 'GET' : 'POST',
    headers: init.headers ?? {},
    body,
  });
const bearer = () => ({ authorization: `Bearer ${secret}`, 'content-type': 'application/json' });
const receiptOf = async (message: string) =>
  (
    await house.env.db
      .selectFrom('verification_sent_messages')
      .select('receipt')
      .where('message_id', '=', message)
      .executeTakeFirst()
  )?.receipt;

describe('a delivery receipt of an HTTP provider', () => {
  it('that says the message was not delivered fails the verification', async () => {
    const { id, message } = await started();
    const answer = await report(`{"message":"${message}","state":"UNDELIVERABLE"}`, { headers: bearer() });
    expect(answer.status).toBe(204);
    expect((await client.status(id)).body.data).toMatchObject({ status: 'failed', error_code: 'dispatch_failed' });
  });

  it.each([
    [
      'as a form, with Basic',
      (message: string) => {
        const authorization = `Basic ${Buffer.from(`web:${secret}`).toString('base64')}`;
        const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
        return report(`message=${message}&state=DELIVERED`, { headers });
      },
    ],
    [
      'in the query, with the secret there',
      (message: string) => report(null, { query: `?secret=${secret}&message=${message}&state=DELIVERED` }),
    ],
  ])('may come %s', async (_name, send) => {
    const { id, message } = await started();
    expect((await send(message)).status).toBe(204);
    expect(await receiptOf(message)).toBe('delivered');
    expect((await client.status(id)).body.data?.status).toBe('pending');
  });

  it('that says neither changes nothing', async () => {
    const { message } = await started();
    expect((await report(`{"message":"${message}","state":"BUFFERED"}`, { headers: bearer() })).status).toBe(204);
    expect(await receiptOf(message)).toBeNull();
  });

  it.each([
    ['without a secret', {}],
    ['with a wrong one', { authorization: 'Bearer wrong' }],
  ])('is refused %s, and so is one for a provider that does not exist', async (_name, headers) => {
    const { message } = await started();
    const body = `{"message":"${message}","state":"UNDELIVERABLE"}`;
    expect((await report(body, { headers })).status).toBe(401);
    expect((await fetch(`${url}/providers/none/receipts`, { method: 'POST', headers: bearer(), body })).status).toBe(
      401,
    );
    expect(await receiptOf(message)).toBeNull();
  });

  it('that names no message is refused, and the former secret with a new one', async () => {
    expect((await report('hello', { headers: bearer() })).status).toBe(400);
    const former = bearer();
    secret = await renewReceiptSecret(house.env, 'web');
    expect((await report('hello', { headers: former })).status).toBe(401);
  });
});
