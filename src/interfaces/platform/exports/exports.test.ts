/** Exports are made, listed, downloaded and deleted. */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedFetch } from '../../../../test/support/checked-fetch.ts';
import type { TestResource } from '../../../../test/support/client.ts';
import { expectDescribed } from '../../../../test/support/described-callbacks.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { startTestServer, type TestServer } from '../../../../test/support/server.ts';
import { createTelephony, type Telephony } from '../../../../test/support/telephony.ts';
import { simulateInbound } from '../../../business/voice/simulate.ts';
import { type Voice, voiceOf } from '../../../business/voice/voice.ts';
import { readRange } from './download-export.ts';
import { exportColumns } from './export-query.ts';

let server: TestServer;
let telephony: Telephony;
let voice: Voice;
beforeAll(async () => {
  server = await startTestServer({ account: { balance: '10' } });
  telephony = await createTelephony(server.env);
  voice = await voiceOf(server.env);
});
afterAll(async () => {
  await voice.stop();
  await server.close();
});

const filters = { from: '2026-06-01 00:00:00', to: '2026-06-15 12:00:00' };
const wish = (attributes: object) => ({
  data: { type: 'exports', attributes: { export_type: 'cdr_in', filters, ...attributes } },
});
const create = (attributes: object = {}) => server.client.post('/exports', wish(attributes));
const read = async (id: string) => (await server.client.get(`/exports/${id}`)).resource;
const download = (url: unknown, headers: Record<string, string> = { 'api-key': server.key }) =>
  checkedFetch(String(url), { headers });
const linesOf = async (export_: TestResource) => {
  const response = await download(export_.attributes.url);
  return gunzipSync(Buffer.from(await response.arrayBuffer()))
    .toString()
    .trimEnd()
    .split('\n');
};

async function calls(): Promise<string> {
  const accountId = server.accountId;
  const { number } = await telephony.did(accountId, {
    voice_in_trunk_id: await telephony.trunk(accountId, { name: 'a, "b"' }),
  });
  const at = (minute: number) => new Date(Date.UTC(2026, 5, 10, 10, minute, 7, 999));
  const call = (code: number, minute: number) =>
    simulateInbound(
      voice,
      { didNumber: number, srcNumber: '1555', at: at(minute) },
      { outcomes: [{ code, ring_seconds: 2 }], talk_seconds: 30 },
    );
  await call(200, 1);
  await call(486, 2);
  return number;
}

describe('an export', () => {
  test('is pending in the response, however soon another process takes it up', async () => {
    // Sooner than any job: at the commit itself.
    await server.env.pool.query(`
      create function taken() returns trigger language plpgsql as $$
        begin update exports set status = 'processing' where id = new.id; return null; end $$;
      create constraint trigger taken after insert on exports deferrable initially deferred
        for each row execute function taken()`);
    const created = (await create()).resource;
    await server.env.pool.query('drop function taken cascade');
    expect(created.attributes.status).toBe('pending');
    expect((await read(created.id)).attributes.status).toBe('processing');
  });

  test('goes from pending to completed, and its file has the contract’s columns', async () => {
    const number = await calls();
    const created = (await create({ filters: { ...filters, did_number: number }, external_reference_id: 'x' }))
      .resource;
    expect(created.attributes).toMatchObject({
      status: 'pending',
      url: null,
      filters: { ...filters, did_number: number },
    });
    await runDueJobs(server.env);
    const done = await read(created.id);
    expect(done.attributes.status).toBe('completed');
    expect(done.attributes.url).toMatch(/\/v3\/exports\/[0-9a-f-]{36}\.csv\.gz$/);
    expect(done.attributes.url).not.toContain(created.id);
    const [header, first, second, ...rest] = await linesOf(done);
    expect(header).toBe(exportColumns.cdr_in.join(','));
    const trunk = `"a, ""b""",sip:${number}@sip.example.net:5060`;
    const zeros = '0.000,0.000,0.000,0.000,0.000';
    expect(first).toMatch(
      `2026-06-10 10:01:07,2026-06-10 10:01:09,2026-06-10 10:01:39,Completed,1555,,${number},30,1,200,Bye,Origination,${trunk},,,${zeros},`,
    );
    expect(second).toMatch(
      `2026-06-10 10:02:07,,,Failed,1555,,${number},0,1,486,Busy Here,Destination,${trunk},,,${zeros},`,
    );
    expect(rest).toEqual([]);
  });

  test('has exactly the columns of the contract', () => {
    const copy = new URL('../../../../test/contract/types.json', import.meta.url);
    expect(exportColumns).toEqual(JSON.parse(readFileSync(copy, 'utf8')).cdr_columns);
  });

  test('of outbound calls without any is a header line', async () => {
    const created = (await create({ export_type: 'cdr_out' })).resource;
    await runDueJobs(server.env);
    expect(await linesOf(await read(created.id))).toEqual([exportColumns.cdr_out.join(',')]);
  });

  test('tells its URL to the callback', async () => {
    const receiver = await startReceiver();
    const created = (await create({ callback_url: receiver.url, callback_method: 'post' })).resource;
    await runDueJobs(server.env);
    await receiver.close();
    const { attributes } = await read(created.id);
    expectDescribed(receiver.received);
    expect(Object.fromEntries(new URLSearchParams(receiver.received[0]?.body))).toEqual({
      id: created.id,
      type: 'exports',
      status: 'completed',
      url: attributes.url,
    });
  });

  test('is there for a month', async () => {
    const created = (await create()).resource;
    await runDueJobs(server.env);
    const { attributes } = await read(created.id);
    await advanceClock(server.env, 30 * 86_400 - 1);
    expect((await server.client.get(`/exports/${created.id}`)).status).toBe(200);
    await advanceClock(server.env, 2);
    expect((await server.client.get(`/exports/${created.id}`)).status).toBe(404);
    expect((await download(attributes.url)).status).toBe(404);
  });

  test('changes only its external reference', async () => {
    const { id } = (
      await server.client.post(
        '/exports',
        wish({ filters: { from: '2026-07-01 00:00:00', to: '2026-07-02 00:00:00' } }),
      )
    ).resource;
    const patch = (attributes: object) =>
      server.client.patch(`/exports/${id}`, { data: { id, type: 'exports', attributes } });
    expect((await patch({ external_reference_id: 'y' })).resource.attributes.external_reference_id).toBe('y');
    // A recorded client sends an empty list where it means an empty object.
    expect((await patch({ external_reference_id: 'z', filters: [] })).resource.attributes).toMatchObject({
      external_reference_id: 'z',
      filters: { from: '2026-07-01 00:00:00' },
    });
    expect((await patch({ export_type: 'cdr_out' })).errors).toMatchObject([{ code: '105' }]);
  });
});

describe('an export of 2022-05-10', () => {
  const old = { headers: { 'x-service-api-version': '2022-05-10' } };
  const order = (calendar: object) => server.client.post('/exports', wish({ filters: calendar }), old);
  const calendarOf = () => {
    const now = server.clock.now();
    return { year: now.getUTCFullYear(), month: now.getUTCMonth() + 1, day: now.getUTCDate() };
  };

  test('takes the current month and the current day, and keeps them as it was asked', async () => {
    const { day, ...month } = calendarOf();
    for (const calendar of [month, { ...month, day }]) {
      const created = await order(calendar);
      expect([created.status, created.resource.attributes.status]).toEqual([201, 'Pending']);
      expect(created.resource.attributes).not.toHaveProperty('filters');
      await runDueJobs(server.env);
      const done = await read(created.resource.id);
      expect(done.attributes).toMatchObject({ status: 'completed', filters: calendar });
      expect(await linesOf(done)).toEqual([exportColumns.cdr_in.join(',')]);
    }
  });

  test('has the calls of its month, and no URL in its callback', async () => {
    const { day: _day, ...month } = calendarOf();
    const { number } = await telephony.did(server.accountId, {
      voice_in_trunk_id: await telephony.trunk(server.accountId),
    });
    await simulateInbound(
      voice,
      { didNumber: number, srcNumber: '1556', at: new Date(Date.UTC(month.year, month.month - 1, 1)) },
      { outcomes: [{ code: 200 }], talk_seconds: 1 },
    );
    const receiver = await startReceiver();
    const asked = { filters: { ...month, did_number: number }, callback_url: receiver.url, callback_method: 'POST' };
    const created = await server.client.post('/exports', wish(asked), old);
    await runDueJobs(server.env);
    await receiver.close();
    expect(await linesOf(await read(created.resource.id))).toHaveLength(2);
    const { id } = created.resource;
    expect(receiver.received.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
      { id, type: 'exports', status: 'completed' },
    ]);
  });

  test('is refused for day 0 and for the words of a later version', async () => {
    const { errors } = await order({ ...calendarOf(), day: 0 });
    expect(errors).toMatchObject([{ status: '422', detail: 'filters - day not valid' }]);
    expect((await order(filters)).errors.map(({ detail }) => detail)).toEqual([
      'from is not allowed.',
      'to is not allowed.',
    ]);
  });
});

test.each<[object, number, string]>([
  [{ filters: { ...filters, year: '2026' } }, 400, 'year is not allowed.'],
  [{ filters: { from: 'x', to: filters.to } }, 422, 'filters - from not valid'],
  [{ export_type: 'sms_in' }, 422, 'export_type - is invalid'],
  [{ callback_url: 'https://h.test/' }, 422, "callback_method - can't be blank"],
])('refused: %j', async (attributes, status, detail) => {
  const answer = await create(attributes);
  expect([answer.status, answer.errors.map((error) => error.detail)]).toContainEqual(expect.arrayContaining([detail]));
  expect(answer.status).toBe(status);
});

test('a download needs the key of the account, and goes on where it stopped', async () => {
  const created = (
    await server.client.post('/exports', wish({ filters: { from: '2026-07-01 00:00:00', to: '2026-07-02 00:00:00' } }))
  ).resource;
  await runDueJobs(server.env);
  const { url } = (await read(created.id)).attributes;
  const other = await server.addAccount();
  expect((await download(url, {})).status).toBe(401);
  expect((await download(url, { 'api-key': other.key })).status).toBe(404);
  const whole = await download(url);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${String(url).split('/').at(-1)}"`,
    'accept-ranges': 'bytes',
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
  });
  const bytes = Buffer.from(await whole.arrayBuffer());
  const part = await download(url, { 'api-key': server.key, range: 'bytes=10-' });
  expect([part.status, part.headers.get('content-range')]).toEqual([
    206,
    `bytes 10-${bytes.length - 1}/${bytes.length}`,
  ]);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10));
});

test.each([
  ['bytes=0-9', { first: 0, last: 9 }],
  ['bytes=90-', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=90-500', { first: 90, last: 99 }],
  ['bytes=100-', 'beyond'],
  ['bytes=-', null],
  ['bytes=0-1,5-6', null],
  [undefined, null],
])('range %s of 100 bytes', (header, range) => {
  expect(readRange(header, 100)).toEqual(range);
});

test('free text that a spreadsheet would run as a formula is escaped, and numbers keep their plus', async () => {
  const accountId = server.accountId;
  const { number } = await telephony.did(accountId, {
    voice_in_trunk_id: await telephony.trunk(accountId, { name: '@home' }),
  });
  const callers: [srcNumber: string, srcName: string][] = [
    ['+15550100', '=HYPERLINK("http://x.test")'],
    ['15550101', '+SUM(1)'],
    ['15550102', '-1+1'],
    ['=cmd', '\tquiet'],
    ['anonymous', 'Ann'],
  ];
  for (const [minute, [srcNumber, srcName]] of callers.entries()) {
    const at = new Date(Date.UTC(2026, 5, 11, 10, minute));
    await simulateInbound(
      voice,
      { didNumber: number, srcNumber, srcName, at },
      { outcomes: [{ code: 486 }], talk_seconds: 0 },
    );
  }
  const { resource } = await create({ filters: { ...filters, did_number: number } });
  await runDueJobs(server.env);
  const lines = (await linesOf(await read(resource.id))).slice(1);
  expect(lines.map((line) => /Failed,(.*?),\d{6,}/.exec(line)?.[1])).toEqual([
    `+15550100,"'=HYPERLINK(""http://x.test"")"`,
    `15550101,'+SUM(1)`,
    `15550102,'-1+1`,
    `'=cmd,'\tquiet`,
    'anonymous,Ann',
  ]);
  expect(lines[0]).toContain(",'@home,");
});
