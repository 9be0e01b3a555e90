/**
 * How calls sounded: what was heard in a real call with losses is kept with its CDR, and customers, operators and
 * metrics are told.
 */
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { hangUp } from '../../src/business/voice/disconnect-codes.ts';
import { endCallById } from '../../src/business/voice/end-elsewhere.ts';
import type { CallSound } from '../../src/business/voice/sound.ts';
import type { Party } from '../../src/engines/media/embedded/party.fixture.ts';
import { addOperator } from '../support/operator.ts';
import { login, PanelClient } from '../support/panel-client.ts';
import { useOpened } from '../support/use.ts';
import { type Connected, openMediaHouse } from './media-house.ts';

const house = useOpened(openMediaHouse);

/** Sends packets, one of ten of them lost if wished; waits until the other party has heard the rest. */
async function speak(party: Party, other: Party, tens: number, losesOne = false): Promise<void> {
  for (let ten = 0; ten < tens; ten++) {
    const before = other.packets.length;
    for (let at = 0; at < 10; at++) {
      const packet = party.nextPacket();
      if (!losesOne || at !== 5) party.send(packet);
    }
    // A burst of all would overflow the sockets of a busy machine, and be lost there.
    await expect.poll(() => other.packets.length - before, { interval: 5 }).toBe(losesOne ? 9 : 10);
  }
}

const metric = async (name: string): Promise<string[]> => {
  const text = await (await fetch(`${house.url}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(name));
};

async function endedCdr({ hangUp, cdr }: Connected) {
  hangUp();
  await expect.poll(cdr).toBeDefined();
  return cdr();
}

test('a side that sends nothing is named, and how long it was silent while the other spoke', async () => {
  const call = await house.inbound();
  const { own, carrier } = call;
  await speak(carrier, own, 6);
  house.timers.advance(5_000);
  await speak(carrier, own, 6);
  house.timers.advance(5_000);
  await carrier.isHeardBy(own);
  expect(await endedCdr(call)).toMatchObject({
    sound_problem: 'called_silent',
    called_mos: null,
    sound: { called: { packets: 0, silent_seconds: 10 }, caller: { silent_seconds: 0 } },
  });
});

test.each(['inbound', 'outbound'] as const)('an %s call that another process ends has its sound, too', async (way) => {
  const { env } = house.world.world;
  const call = await house[way]();
  await speak(call.own, call.carrier, 6);
  await call.own.isHeardBy(call.carrier);
  await call.carrier.isHeardBy(call.own);
  const open = env.db.selectFrom('open_calls').select('id').where('account_id', '=', call.accountId);
  const { id } = await open.executeTakeFirstOrThrow();
  await endCallById(env, id, hangUp, () => env.clock.now());
  await expect
    .poll(async () => (await call.cdr())?.sound)
    .toMatchObject({
      caller: { codec: 'PCMU', lost: 0 },
      called: { codec: 'PCMU', lost: 0 },
    });
  expect(await call.cdr()).toMatchObject({ sound_problem: null, disconnect_code: hangUp.code });
});

test('losses of each side are figures of the call, of its trunk and carrier, and in metrics', async () => {
  const { clock, env } = house.world.world;
  // Figures of the last day go by the database's clock, which is the machine's here.
  clock.advance(Date.now() - clock.now().getTime());
  const accountId = await house.world.telephony.account({ ...login, balance: '100' });
  const call = await house.outbound({ accountId });
  const { own, carrier } = call;
  await speak(own, carrier, 20, true);
  await speak(carrier, own, 20);
  house.timers.advance(5_000);
  await speak(own, carrier, 10);
  await speak(carrier, own, 10);
  house.timers.advance(5_000);
  // Ticks and packets come to the relay by different ways: this is after both.
  await own.isHeardBy(carrier);
  const cdr = await endedCdr(call);
  expect(cdr).toMatchObject({
    sound_problem: null,
    sound: {
      caller: { lost: 20, codec: 'PCMU', encryption: 'disabled', silent_seconds: 0 },
      called: { packets: 300, lost: 0, dropped: {} },
    },
  });
  const { caller, called } = (cdr?.sound ?? {}) as Partial<CallSound>;
  expect(caller?.course.map(({ lost }) => lost)).toEqual([20, 0]);
  // Ten percent lost are heard.
  expect(caller?.course[0]?.mos).toBeLessThan(3.6);
  expect(caller?.course[1]?.mos).toBeGreaterThan(4);
  expect(called?.mos).toBeGreaterThan(4);
  expect(Number(cdr?.caller_mos)).toBe(caller?.mos);
  expect(Number(cdr?.caller_lost_percent)).toBeGreaterThan(5);
  expect(JSON.stringify(cdr?.sound)).not.toContain('127.0.0.1');

  const panel = new PanelClient(house.url);
  await panel.signIn();
  const [trunk] = (await panel.get('/panel/v1/outbound_trunk_sound')).resources;
  expect(trunk?.attributes.sound_last_day).toEqual({
    ...{ calls: 1, one_way: 0, caller_mos: cdr?.caller_mos, called_mos: cdr?.called_mos },
    ...{ caller_lost_percent: cdr?.caller_lost_percent, called_lost_percent: '0.00' },
  });
  const [shown] = (await panel.get('/panel/v1/outbound_calls')).resources;
  expect(shown?.attributes).toMatchObject({ sound: cdr?.sound, sound_problem: null });
  const { client } = await addOperator({ env, url: house.url });
  const networks = (await client.get('/carriers')).resources;
  const ofCarrier = { calls: 1, one_way: 0, mos: cdr?.called_mos, lost_percent: '0.00' };
  expect(networks.map(({ attributes }) => attributes.sound_last_day)).toContainEqual(ofCarrier);
  expect(await metric('trunkline_media_lost_packets_total')).toEqual(
    expect.arrayContaining([expect.stringMatching(/direction="out",side="caller".* 20$/)]),
  );
  expect(await metric('trunkline_call_sides_total')).toEqual(
    expect.arrayContaining([expect.stringMatching(/direction="out",side="called",sound="good".* 1$/)]),
  );
});

test('the round trip to a party is what passes from a report to the answer to it, less what it kept the report', async () => {
  for (const keptMs of [0, 10_000]) {
    const call = await house.outbound();
    const { own, carrier } = call;
    await own.isHeardBy(carrier);
    await carrier.isHeardBy(own);
    const begin = performance.now();
    await expect
      .poll(() => {
        carrier.sendControl(senderReport());
        return own.control.length;
      })
      .toBeGreaterThan(0);
    await expect
      .poll(() => {
        own.sendControl(receiverReport(own.control.at(-1) ?? Buffer.alloc(0), keptMs));
        return carrier.control.length;
      })
      .toBeGreaterThan(0);
    const passedMs = Math.ceil(performance.now() - begin);
    const roundTrip = ((await endedCdr(call))?.sound as CallSound | undefined)?.caller.round_trip_ms;
    expect(roundTrip).toBeGreaterThanOrEqual(0);
    expect(roundTrip).toBeLessThanOrEqual(keptMs === 0 ? passedMs : 0);
  }
});

/** RFC 3550, 6.4.1, without blocks. */
function senderReport(): Buffer {
  const report = Buffer.alloc(28);
  report.writeUInt32BE(0x80c80006, 0);
  report.writeUInt32BE(7, 4);
  report.writeUInt32BE(randomInt(2 ** 32), 8);
  report.writeUInt32BE(randomInt(2 ** 32), 12);
  return report;
}

/** RFC 3550, 6.4.2: which sender report came last, and how long ago in units of 1/65536 s. */
function receiverReport(last: Buffer, keptMs: number): Buffer {
  const report = Buffer.alloc(32);
  report.writeUInt32BE(0x81c90007, 0);
  report.writeUInt32BE(9, 4);
  report.writeUInt32BE(7, 8);
  last.copy(report, 24, 10, 14);
  report.writeUInt32BE((keptMs * 65_536) / 1000, 28);
  return report;
}
