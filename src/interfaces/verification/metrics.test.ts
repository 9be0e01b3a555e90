/** What is counted of starts, reports, dispatches and callbacks. */
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';

const server = useOpened(() => startVerificationServer());

const shown = async () => (await (await fetch(`${server.url}/metrics`)).text()).split('\n');

it('shows starts, reports and dispatches by what came of them, and no number', async () => {
  const client = await server.client();
  const id = (await client.start({ destination: '+4915112345678', delivery_method: 'sms' })).body.data?.id ?? '';
  await client.start({ destination: '+4915112345678', delivery_method: 'callout' });
  await client.start({ destination: 'x', delivery_method: 'sms' });
  await (await server.client({}, 'public')).start({ destination: '+4915112345678', delivery_method: 'callout' });
  await client.report(id, '0');
  await server.dispatch();
  await client.report(id, 'wrong');
  await client.report(id, await server.codeOf(id));
  // A scenario of the sandbox.
  await client.start({ destination: '447700900920', delivery_method: 'sms' });
  await server.dispatch();

  const lines = await shown();
  const of = (name: string) => lines.filter((line) => line.startsWith(`trunkline_verification_${name}{`)).sort();
  expect(of('starts_total')).toEqual([
    'trunkline_verification_starts_total{delivery_method="callout",outcome="denied_missing_callback_url",environment="sandbox"} 1',
    'trunkline_verification_starts_total{delivery_method="callout",outcome="destination_in_cooldown",environment="sandbox"} 1',
    'trunkline_verification_starts_total{delivery_method="sms",outcome="pending",environment="sandbox"} 2',
    'trunkline_verification_starts_total{delivery_method="unknown",outcome="destination_invalid",environment="sandbox"} 1',
  ]);
  expect(of('reports_total')).toEqual([
    'trunkline_verification_reports_total{result="code_invalid",environment="sandbox"} 1',
    'trunkline_verification_reports_total{result="not_ready_to_report",environment="sandbox"} 1',
    'trunkline_verification_reports_total{result="verified",environment="sandbox"} 1',
  ]);
  expect(of('dispatches_total')).toEqual([
    'trunkline_verification_dispatches_total{adapter="inbox",outcome="refused",environment="sandbox"} 1',
    'trunkline_verification_dispatches_total{adapter="inbox",outcome="sent",environment="sandbox"} 1',
  ]);
  expect(of('dispatch_duration_seconds_count')).toHaveLength(1);
  expect(lines.join('\n')).not.toMatch(/4915112345678|447700900920/);
});

it('counts approval callbacks by their result', async () => {
  const statuses = [200, 200, 503];
  const receiver = createServer((_request, response) => {
    response.writeHead(statuses.shift() ?? 500).end('{"action":"allow"}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  const callbackUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/approve`;
  let last = 0;
  const start = async (url: string) =>
    (await server.client({ callbackUrl: url }, 'basic')).start({
      destination: `4915299${String(++last).padStart(6, '0')}`,
      delivery_method: 'sms',
    });
  for (const _status of [...statuses]) expect((await start(callbackUrl)).status).toBe(201);
  await new Promise((resolve) => receiver.close(resolve));
  expect((await start(callbackUrl)).body.data?.status).toBe('denied');
  const counted = (await shown()).filter((line) => line.startsWith('trunkline_outgoing_requests_total{')).sort();
  expect(counted).toEqual([
    'trunkline_outgoing_requests_total{purpose="approval",result="connect",environment="sandbox"} 1',
    'trunkline_outgoing_requests_total{purpose="approval",result="ok",environment="sandbox"} 2',
    'trunkline_outgoing_requests_total{purpose="approval",result="status_5xx",environment="sandbox"} 1',
  ]);
});
