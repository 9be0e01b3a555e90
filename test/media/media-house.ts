/**
 * A switchboard with a media engine and /v3 in front of it: calls between a carrier and a customer whose
 * trunk was changed through the interface. Seconds pass for the engine when a test says so.
 */
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { createApiKey } from '../../src/business/accounts/api-keys.ts';
import { callingOut } from '../../src/business/b2bua/calling-out.fixture.ts';
import { createWorld, type Phone, type World } from '../../src/business/b2bua/world.fixture.ts';
import { writeStream } from '../../src/business/voice/events/stream-settings.ts';
import { Party } from '../../src/engines/media/embedded/party.fixture.ts';
import type { MediaEngine } from '../../src/engines/media/media-engine.ts';
import { SimulatedTimers } from '../../src/engines/sip/simulation/simulated-timers.fixture.ts';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import { createHttpServer } from '../../src/interfaces/server/http-server.ts';
import { operatorRooms, roomsWith } from '../../src/interfaces/server/rooms.ts';
import { taskHandlers } from '../../src/run/boot/tasks.ts';
import { ApiClient } from '../support/client.ts';
import { engines } from './engines.ts';

interface Wish {
  /** Members of the trunk that are changed. */
  settings?: object;
  /** How the customer's side protects its media, its codecs, and the address that it sends from; the carrier's. */
  own?: NonNullable<Parameters<typeof Party.open>[0]>;
  carrierOwn?: NonNullable<Parameters<typeof Party.open>[0]>;
  /** Lines and the address of the customer's description, if they are not its own. */
  lines?: readonly string[];
  told?: { address?: string; port?: number };
  /** The customer; default: one of its own. */
  accountId?: string;
  /** Lines of the carrier's description. */
  carrierLines?: readonly string[];
}

export interface Connected {
  /** The customer's side, and the carrier's. */
  own: Party;
  carrier: Party;
  ownPhone: Phone;
  carrierPhone: Phone;
  accountId: string;
  cdr(): Promise<Record<string, unknown> | undefined>;
  hangUp(): void;
}

export interface MediaHouse {
  readonly world: World;
  /** Of the media engine. */
  readonly timers: SimulatedTimers;
  readonly url: string;
  inbound(wish?: Wish): Promise<Connected>;
  outbound(wish?: Wish): Promise<Connected>;
  close(): Promise<void>;
}

export const content = (body: Buffer) => ({ type: 'application/sdp', body });

/** Lets a phone answer calls with the media of a party. */
export function answers(phone: Phone, party: Party, describe = () => party.describe()): void {
  phone.onCall = (call) => {
    party.told(call.transaction.request.body);
    phone.answer(call, content(describe()));
  };
  answersOffers(phone, party);
}

/** The same for new offers within calls, of voice or of a fax. */
function answersOffers(phone: Phone, party: Party): void {
  phone.answerTo = ({ body }) => {
    party.told(body);
    const isHold = body.includes('a=sendonly');
    return content(body.includes('m=image') ? faxOf(party) : party.describe(isHold ? ['a=recvonly'] : []));
  };
}

/** The party's description with T.38 in the place of its voice. */
export const faxOf = (party: Party): Buffer =>
  Buffer.from(String(party.describe()).replace(/^m=audio (\d+) .*\r\n(?:a=.*\r\n)*/m, 'm=image $1 udptl t38\r\n'));

export async function answered(caller: Phone, party: Party): Promise<void> {
  await expect.poll(() => caller.events).toContain('answered');
  party.told(caller.responses.at(-1)?.body ?? Buffer.alloc(0));
}

export async function openMediaHouse(engine: MediaEngine['name'] = 'embedded'): Promise<MediaHouse> {
  const timers = new SimulatedTimers();
  const media = await engines[engine](['127.0.0.1', '::1'], timers);
  const world = await createWorld({ media: media.engine });
  const { env } = world.world;
  env.sip.endpoint = world.endpoint;
  const app = await createHttpServer(env, { rooms: [...roomsWith(taskHandlers, 'any'), ...operatorRooms] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const base = new ApiClient({ url, key: null, document: openApiDocument(env, url) });

  /** Changes the trunk of an account; the CDR stream of its direction is stored from here on, as its events are. */
  async function change(accountId: string, type: 'voice_in_trunks' | 'voice_out_trunks', attributes: object) {
    const cdrs = type === 'voice_in_trunks' ? 'voice_in_cdr' : 'voice_out_cdr';
    await writeStream(env, accountId, cdrs, { url: 'http://127.0.0.1:9/' });
    const { key } = await createApiKey(env, accountId, { name: 'test' });
    const client = base.with({ key });
    const id = (await client.get(`/${type}`)).resources[0]?.id;
    const { status } = await client.patch(`/${type}/${id}`, { data: { type, id, attributes } });
    expect(status).toBe(200);
  }

  return {
    ...{ world, timers, url },
    inbound: async ({ settings = {}, own: options, carrierOwn, lines, told, carrierLines } = {}) => {
      const [carrierPhone, ownPhone] = [await world.phone(), await world.phone()];
      const [carrier, own] = [await Party.open(carrierOwn), await Party.open(options)];
      const { accountId, number } = await world.number([ownPhone.port]);
      const usual = { host: '127.0.0.1', port: ownPhone.port, codec_ids: [9, 10, 6] };
      const configuration = { type: 'sip_configurations', attributes: { ...usual, ...settings } };
      await change(accountId, 'voice_in_trunks', { configuration });
      answers(ownPhone, own, () => own.describe(lines, told));
      answersOffers(carrierPhone, carrier);
      carrierPhone.dial(number, { extra: { content: content(carrier.describe(carrierLines)) } });
      await answered(carrierPhone, carrier);
      return {
        ...{ own, carrier, ownPhone, carrierPhone, accountId },
        cdr: async () => (await world.cdrs(number))[0],
        hangUp: () => carrierPhone.sessions[0]?.hangUp(),
      };
    },
    outbound: async ({ settings = {}, own: options, carrierOwn, lines, told, carrierLines, ...customerOf } = {}) => {
      const { accountId, customer, carrier: carrierPhone, call } = await callingOut(world, customerOf);
      const [carrier, own] = [await Party.open(carrierOwn), await Party.open(options)];
      await change(accountId, 'voice_out_trunks', settings);
      answers(carrierPhone, carrier, () => carrier.describe(carrierLines));
      answersOffers(customer, own);
      call(undefined, content(own.describe(lines, told)));
      await answered(customer, own);
      return {
        ...{ own, carrier, ownPhone: customer, carrierPhone, accountId },
        cdr: async () => (await world.cdrsOut(accountId))[0],
        hangUp: () => customer.sessions[0]?.hangUp(),
      };
    },
    close: async () => {
      env.sip.endpoint = null;
      await app.close();
      await world.close();
      await media.close();
    },
  };
}
