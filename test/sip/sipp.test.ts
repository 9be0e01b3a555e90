/**
 * sipp calls a real process and is called by it, inbound and outbound: every scenario must go as its file says, message
 * by message, and leave the events and the CDRs that belong to it. One process serves all of them side by side.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createCarrier } from '../../src/business/voice/carriers/carriers.ts';
import { addRoute } from '../../src/business/voice/carriers/routes.ts';
import { connectionOf } from '../../src/engines/db/pool.ts';
import { createDialers } from '../support/dialers.ts';
import { createTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type SippOptions, type SippRun, startSipp } from '../support/sipp.ts';
import { createTelephony, type Telephony } from '../support/telephony.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';
import { inboundCases } from './inbound-cases.ts';

let folder: string;
let house: TestEnvironment;
let telephony: Telephony;
let trunkline: Trunkline;
let server: number;
const running: SippRun[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-sipp-'));
  house = await createTestEnvironment({ at: new Date().toISOString() });
  telephony = await createTelephony(house.env);
  trunkline = startTrunkline(folder, {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_ROLES: 'voice',
    TRUNKLINE_SANDBOX_SIP_PORT: '0',
    TRUNKLINE_SIP_CHECK_SECONDS: '0',
    TRUNKLINE_LOG_LEVEL: 'error',
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
  });
  server = (await trunkline.ready()).environments.sandbox?.sip?.udp ?? 0;
});

afterAll(async () => {
  for (const run of running) run.stop();
  await trunkline?.stop();
  await house?.close();
  await rm(folder, { recursive: true, force: true });
});

async function sipp(scenario: string, options: SippOptions = {}): Promise<SippRun> {
  const run = await startSipp(scenario, options);
  running.push(run);
  return run;
}

const caller = (scenario: string, number: string, options: SippOptions = {}) =>
  sipp(scenario, { server, number, set: { from: '+442071234567' }, ...options });

/** Codes that lead to the next trunk: 486, 408, 503 and the ringing timeout. */
const reroutes = { rerouting_disconnect_code_ids: [90, 64, 100, 1505], codec_ids: [9, 10, 6] };

/** Events are stored for every stream; no process delivers them here. */
async function withEvents(accountId: string): Promise<string> {
  const url = 'http://127.0.0.1:9/events';
  for (const stream of ['voice_in_events', 'voice_out_events'] as const)
    await house.env.db.insertInto('call_event_streams').values({ account_id: accountId, stream, url }).execute();
  return accountId;
}

interface StoredEvent {
  type: string;
  id: string;
  attributes: { time_start: string; time_connect?: string | null; time_end?: string; duration?: number };
}

/** Start, connect if it was answered, and end, of one call, once its end is written. */
async function expectEvents(accountId: string, isAnswered: boolean, direction = 'incoming'): Promise<void> {
  const kinds = isAnswered ? ['start', 'connect', 'end'] : ['start', 'end'];
  await vi.waitFor(
    async () => {
      const { rows } = await house.env.pool.query<{ body: string }>(
        'select body from call_events where account_id = $1 order by id',
        [accountId],
      );
      const events = rows.map(({ body }): StoredEvent => JSON.parse(body));
      expect(events.map(({ type }) => type)).toEqual(kinds.map((kind) => `${direction}-call-${kind}-event`));
      expect(new Set(events.map(({ id }) => id)).size).toBe(1);
      const {
        time_start,
        time_connect = null,
        time_end = '',
        duration,
      } = events.at(-1)?.attributes ?? { time_start: '' };
      expect(events[0]?.attributes.time_start).toBe(time_start);
      expect(time_connect !== null).toBe(isAnswered);
      const times = [time_start, ...(time_connect === null ? [] : [time_connect]), time_end];
      expect(times).toEqual(times.toSorted());
      if (!isAnswered) expect(duration).toBe(0);
    },
    { timeout: 120_000, interval: 50 },
  );
}

/** A number whose calls go to these ports, in this order, and its account. */
async function numberTo(ports: readonly number[], configuration: object = {}, columns: object = {}) {
  const accountId = await withEvents(await telephony.account());
  const group = await telephony.trunkGroup(accountId);
  for (const [priority, port] of ports.entries()) {
    const settings = { host: '127.0.0.1', port, ...reroutes, ...configuration };
    await telephony.trunk(accountId, { priority, voice_in_trunk_group_id: group, ...columns }, settings);
  }
  const { number } = await telephony.did(accountId, { voice_in_trunk_group_id: group });
  return { number, accountId };
}

/** Disconnect codes of the attempts, once the call is written. */
async function codesOf(number: string, count: number): Promise<number[]> {
  return vi.waitFor(
    async () => {
      const { rows } = await house.env.pool.query<{ code: number }>(
        'select disconnect_code as code from cdrs_in where did_number = $1 order by attempt',
        [number],
      );
      expect(rows).toHaveLength(count);
      return rows.map(({ code }) => code);
    },
    { timeout: 120_000, interval: 50 },
  );
}

// Before there is any outbound trunk: from then on a call to a number that nobody has is taken for a customer's call
// out.
test('an unknown number is 404', async () => {
  await (await caller('caller-404', '442000000009')).finished();
});

describe.concurrent('inbound', () => {
  test.for(inboundCases)('$what', async (one, { expect }) => {
    const third = one.third === undefined ? null : await sipp(one.third);
    const set: Record<string, string> = third === null ? {} : { port: String(third.port) };
    const transport = one.transport ?? 'UDP';
    const called = await Promise.all(
      one.called.map((scenario) => (scenario === null ? null : sipp(scenario, { set, transport }))),
    );
    const ports = called.map((run) => run?.port ?? 9);
    const { number, accountId } = await numberTo(ports, one.configuration, one.columns);
    const calling = await caller(one.caller, number, { transport: one.callerTransport ?? 'UDP' });
    const runs = [calling, ...called, third].filter((run) => run !== null);
    await Promise.all(runs.map((run) => run.finished()));
    expect(await codesOf(number, one.codes.length)).toEqual(one.codes);
    await expectEvents(accountId, one.codes.at(-1) === 200);
  });

  test('no free channel is 480', async ({ expect }) => {
    const [first, second] = [await sipp('called-rings'), await sipp('called-rings')];
    const { number, accountId } = await numberTo([first.port, second.port]);
    await house.env.pool.query('update dids set channels_included_count = 0 where number = $1', [number]);
    await (await caller('caller-480', number)).finished();
    for (const run of [first, second]) run.stop();
    expect(await codesOf(number, 1)).toEqual([480]);
    // A call that was not routed has a CDR and no events.
    const { rows } = await house.env.pool.query('select 1 from call_events where account_id = $1', [accountId]);
    expect(rows).toEqual([]);
  });

  test('a trunk registers with digest, and is called at its contact', async ({ expect }) => {
    const phone = await sipp('called');
    const username = `reg${phone.port}`;
    const registering = { enabled_sip_registration: true, incoming_auth_username: username };
    const configuration = { host: null, port: null, incoming_auth_password: 'secret', ...registering };
    const { number, accountId } = await numberTo([phone.port], configuration);
    const credentials = { username, password: 'secret' };
    const set = { from: String(phone.port) };
    await (await sipp('register', { server, number: username, credentials, set })).finished();
    await Promise.all([(await caller('caller', number)).finished(), phone.finished()]);
    expect(await codesOf(number, 1)).toEqual([200]);
    await expectEvents(accountId, true);
  });
});

describe.concurrent('outbound', () => {
  let prefixes = 0;

  /** A customer with credentials, and a route to these carriers in their order for a prefix of its own. */
  async function customer(scenarios: readonly string[]) {
    prefixes += 1;
    const prefix = `49${prefixes}`;
    const carriers = await Promise.all(scenarios.map((scenario) => sipp(scenario)));
    for (const [priority, { port }] of carriers.entries()) {
      const name = `carrier ${port}`;
      await createCarrier(house.env, { name, host: '127.0.0.1', port });
      await addRoute(house.env, { carrier: name, prefix, priority, weight: 1 });
    }
    await house.env.db
      .insertInto('voice_rates')
      .values({ kind: 'termination', prefix, per_minute: '0.6', country: 'Germany', network: 'Fixed' })
      .execute();
    const credentials = { username: `user${prefix}`, password: 'p' };
    const allowed = { allowed_sip_ips: ['127.0.0.0/8'], tech_prefix: null };
    const authentication = JSON.stringify({ ...allowed, ...credentials });
    const dialer = await createDialers(house, telephony)({ authentication });
    await withEvents(dialer.accountId);
    return {
      carriers,
      accountId: dialer.accountId,
      dial: (scenario: string, password = 'p') =>
        sipp(scenario, {
          ...{ server, number: `${prefix}30123456`, set: { from: `+${dialer.number}` } },
          authUri: `${prefix}30123456@127.0.0.1:${server}`,
          credentials: { ...credentials, password },
        }),
      cdr: () =>
        vi.waitFor(
          async () => {
            const cdrs = house.env.db.selectFrom('cdrs_out').selectAll();
            return cdrs.where('voice_out_trunk_id', '=', dialer.trunkId).executeTakeFirstOrThrow();
          },
          { timeout: 120_000 },
        ),
    };
  }

  test('digest, answered, billed', async ({ expect }) => {
    const { carriers, dial, cdr, accountId } = await customer(['called']);
    const calling = await dial('customer');
    await Promise.all([calling, ...carriers].map((run) => run.finished()));
    expect(await cdr()).toMatchObject({ success: true, disconnect_code: 200, user_agent: 'sipp' });
    await expectEvents(accountId, true, 'outbound');
  });

  test('the next carrier after 503; all of them 503', async ({ expect }) => {
    const { carriers, dial, cdr, accountId } = await customer(['called-503', 'called']);
    const calling = await dial('customer');
    await Promise.all([calling, ...carriers].map((run) => run.finished()));
    expect(await cdr()).toMatchObject({ success: true, carrier_name: `carrier ${carriers[1]?.port}` });
    await expectEvents(accountId, true, 'outbound');
    const failing = await customer(['called-503', 'called-503']);
    const refused = await failing.dial('customer-503');
    await Promise.all([refused, ...failing.carriers].map((run) => run.finished()));
    expect(await failing.cdr()).toMatchObject({ success: false, disconnect_code: 503 });
    await expectEvents(failing.accountId, false, 'outbound');
  });

  test('busy is the answer of the called party; a wrong password is 403', async ({ expect }) => {
    const { carriers, dial, cdr, accountId } = await customer(['called-busy', 'called']);
    await (await dial('customer-403', 'wrong')).finished();
    const calling = await dial('customer-486');
    await Promise.all([calling.finished(), carriers[0]?.finished()]);
    expect(await cdr()).toMatchObject({ success: false, disconnect_code: 486 });
    await expectEvents(accountId, false, 'outbound');
    carriers[1]?.stop();
  });
});
