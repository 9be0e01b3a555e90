/** Providers that are reached by HTTP. */
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeIn, useDelivery } from '../../../../test/support/use-delivery.ts';
import { startWorker } from '../../../engines/jobs/worker.ts';
import { dispatchVerification } from './dispatch.ts';
import { listProviders, listRoutes, saveProvider, saveRoute } from './manage-providers.ts';
import { countSetAside } from './routing.ts';

const { server, client, fresh, started } = useDelivery();

describe('an HTTP provider', () => {
  let provider: Server;
  let url: string;
  let answer: { status: number; body: string };
  const got: { url: string; headers: Record<string, unknown>; body: string }[] = [];

  beforeEach(async () => {
    got.length = 0;
    answer = { status: 200, body: '{"ok":true,"id":"p-1"}' };
    provider = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        got.push({ url: request.url ?? '', headers: request.headers, body });
        response.writeHead(answer.status).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const address = provider.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterEach(async () => {
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });

  const settings = () => ({
    url: `${url}/send?to={{DESTINATION}}`,
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer {{SECRET}}', 'Idempotency-Key': '{{ID}}' },
    body: '{"to":"{{DESTINATION}}","from":"{{SENDER}}","text":"{{TEXT}}"}',
    success_body: '"ok":\\s*true',
    message_id: '"id":"([^"]+)"',
  });
  const add = async (name = 'web', priority = 10, prefix = '') => {
    await saveProvider(server.env, { name, kind: 'http', settings: settings(), secret: 'tok"en' });
    await saveRoute(server.env, { deliveryMethod: 'sms', prefix, provider: name }, priority);
  };

  it('gets what its templates say, with every value escaped for its place', async () => {
    await add();
    const { id, destination, state } = await started(undefined, { sms: { languages: ['mt-MT'] } });
    expect(state?.status).toBe('pending');
    expect(got).toHaveLength(1);
    expect(got[0]?.url).toBe(`/send?to=${destination}`);
    expect(got[0]?.headers).toMatchObject({ authorization: 'Bearer tok"en', 'idempotency-key': id });
    const sent = JSON.parse(got[0]?.body ?? '');
    expect(sent).toMatchObject({ to: destination, from: 'AcmeDE', text: expect.stringContaining("ta' verifika") });
    expect((await client.report(id, codeIn(sent.text))).body.data?.status).toBe('verified');
  });

  it.each([
    [500, '{"ok":true}'],
    [302, '{"ok":true}'],
    [200, '{"ok":false}'],
  ])(
    'that answers %i %s has refused: the next is asked, and without one the dispatch has failed',
    async (status, body) => {
      answer = { status, body };
      await add('first', 1);
      await add('second', 2);
      const { state } = await started();
      expect(got).toHaveLength(2);
      expect(state).toMatchObject({
        status: 'failed',
        error_code: 'dispatch_failed',
        error_detail: 'failed to deliver',
      });
    },
  );

  it('that does not say whether it took the message is the only one asked', async () => {
    answer = { status: 504, body: '' };
    await add('first', 1);
    await add('second', 2);
    const { state } = await started();
    expect(got).toHaveLength(1);
    expect(state?.status).toBe('pending');
  });

  it.each([
    ['no TLS is spoken', () => url.replace('http:', 'https:')],
    ['nothing listens', () => 'https://127.0.0.1:1'],
  ])('that was never reached has not taken the message, and the next is asked: %s', async (_name, address) => {
    await saveProvider(server.env, { name: 'broken', kind: 'http', settings: { url: address() } });
    await saveRoute(server.env, { deliveryMethod: 'sms', prefix: '', provider: 'broken' }, 1);
    await add('second', 2);
    const { id, state } = await started();
    expect(state?.status).toBe('pending');
    expect((await client.report(id, codeIn(JSON.parse(got[0]?.body ?? '{}').text))).body.data?.status).toBe('verified');
  });

  it('that fails three times in a row is set aside, and tried by one message when its time is over', async () => {
    const asked = () => got.splice(0).map((request) => request.url.split('?')[0]);
    const addAt = async (name: string, priority: number) => {
      await saveProvider(server.env, { name, kind: 'http', settings: { url: `${url}/${name}` } });
      await saveRoute(server.env, { deliveryMethod: 'sms', prefix: '', provider: name }, priority);
    };
    await addAt('main', 1);
    await addAt('spare', 2);
    answer = { status: 504, body: '' };
    for (let n = 0; n < 3; n++) expect((await started()).state?.status).toBe('pending');
    expect(asked()).toEqual(['/main', '/main', '/main']);
    const [main] = await listProviders(server.env);
    expect(main).toMatchObject({ name: 'main', failures: 3, lastFailure: 'answered 504' });
    expect(main?.setAsideUntil?.getTime()).toBe(server.clock.now().getTime() + 30_000);
    expect(await countSetAside(server.env)).toEqual({ main: 1, spare: 0 });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain(
      'trunkline_verification_provider_failures_total{provider="main",reason="status_5xx",environment="production"} 3',
    );
    expect(metrics).toContain('trunkline_verification_provider_set_aside{provider="main",environment="production"} 1');

    answer = { status: 200, body: '' };
    await started();
    expect(asked()).toEqual(['/spare']);
    server.clock.advance(31);
    answer = { status: 504, body: '' };
    await started();
    await started();
    expect(asked()).toEqual(['/main', '/spare']);
    expect((await listProviders(server.env))[0]?.setAsideUntil?.getTime()).toBe(server.clock.now().getTime() + 60_000);

    server.clock.advance(61);
    answer = { status: 200, body: '' };
    await started();
    await started();
    expect(asked()).toEqual(['/main', '/main']);
    expect(await countSetAside(server.env)).toEqual({ main: 0, spare: 0 });
  });

  it('that refuses one message is not set aside, and one that is set aside is asked when nobody else takes it', async () => {
    await add('only', 1);
    answer = { status: 400, body: '' };
    for (let n = 0; n < 4; n++) await started();
    expect(await listProviders(server.env)).toMatchObject([{ failures: 0, setAsideUntil: null }]);
    answer = { status: 503, body: '' };
    for (let n = 0; n < 5; n++) await started();
    expect(await countSetAside(server.env)).toEqual({ only: 1 });
    expect(got).toHaveLength(9);
  });

  it('that has as many messages as it is given at once is passed over', async () => {
    await add('first', 1);
    await add('second', 2);
    const [first] = await listProviders(server.env);
    const lane = `provider ${first?.id}`;
    const places = Array.from({ length: 64 }, () => server.env.jobs.lanes.tryEnter(lane, 64));
    expect((await started()).state?.status).toBe('pending');
    const sent = await server.env.db.selectFrom('verification_sent_messages').select('provider_id').execute();
    expect(sent.at(-1)?.provider_id).not.toBe(first?.id);
    for (const leave of places) leave?.();
  });

  it('that is silent holds up no code of another provider, and a stop leaves its codes in doubt', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await saveProvider(server.env, { name: 'silent', kind: 'http', settings: { url: `http://127.0.0.1:${port}/` } });
    await saveRoute(server.env, { deliveryMethod: 'sms', prefix: '49152', provider: 'silent' }, 1);
    await add('quick', 1, '49151');
    const worker = await startWorker(server.env, { handlers: [dispatchVerification], patienceMs: 10 });
    const ids: string[] = [];
    try {
      for (let n = 0; n < 20; n++) {
        const destination = `49152${String(n).padStart(8, '0')}`;
        ids.push((await client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '');
      }
      const begun = () =>
        server.env.db
          .selectFrom('verifications')
          .select('id')
          .where('dispatch_started_at', 'is not', null)
          .where('id', 'in', ids)
          .execute();
      await expect.poll(async () => (await begun()).length).toBe(20);
      await client.start({ destination: fresh(), delivery_method: 'sms' });
      await expect.poll(() => got.length).toBe(1);
    } finally {
      await worker.stop();
      silent.closeAllConnections();
      silent.close();
    }
    const rows = await server.env.db
      .selectFrom('verifications')
      .select('dispatch_in_doubt')
      .where('id', 'in', ids)
      .execute();
    expect(rows.map((row) => row.dispatch_in_doubt)).toEqual(new Array(20).fill(true));
  });

  it('is chosen by the longest prefix, then by priority', async () => {
    const order: string[] = [];
    for (const [name, prefix, priority] of [
      ['everywhere', '', 1],
      ['germany-b', '49', 20],
      ['germany-a', '49', 10],
      ['france', '33', 1],
    ] as const) {
      await saveProvider(server.env, { name, kind: 'http', settings: { url: `${url}/${name}` } });
      await saveRoute(server.env, { deliveryMethod: 'sms', prefix, provider: name }, priority);
    }
    answer = { status: 400, body: '' };
    await started();
    order.push(...got.map((request) => request.url));
    expect(order).toEqual(['/germany-a', '/germany-b', '/everywhere']);
    expect(await listRoutes(server.env)).toHaveLength(4);
  });

  it('that no route leads to makes a start 422', async () => {
    await add('france', 1, '33');
    const refused = await client.start({ destination: fresh(), delivery_method: 'sms' });
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([422, 'destination_not_supported_for_channel']);
  });
});
