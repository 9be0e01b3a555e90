/** Scripted calls to numbers of a fresh environment, and what they leave: CDRs, events, open calls and balances. */

import { type CallScript, simulateInbound } from '../../src/business/voice/simulate.ts';
import type { StreamName } from '../../src/engines/db/tables/calls.ts';
import { useTelephony } from './use-telephony.ts';

/** The script of a call that stays active. */
export const held = { talk_seconds: null };
/** An account's settings: its events are kept, and nobody takes them. */
export const withEvents = { callEvents: { url: 'http://127.0.0.1:9/events', gzip: false } };

export function useInboundCalls() {
  const { house, telephony, voice } = useTelephony();

  const call = (didNumber: string, script: Partial<CallScript> = {}) =>
    simulateInbound(
      voice,
      { didNumber, srcNumber: '15550100' },
      { outcomes: [{ code: 200 }], talk_seconds: 30, ...script },
    );

  const cdrsOf = (callId: string) =>
    house.env.db.selectFrom('cdrs_in').selectAll().where('call_id', '=', callId).orderBy('attempt').execute();

  async function eventsOf(callId: string, stream: StreamName = 'voice_in_events') {
    const events = house.env.db.selectFrom('call_events').select('body').where('call_id', '=', callId);
    const rows = await events.where('stream', '=', stream).orderBy('id').execute();
    return rows.map(({ body }) => JSON.parse(body));
  }

  const openCalls = async () => (await house.env.db.selectFrom('open_calls').select('id').execute()).length;

  async function balanceOf(accountId: string) {
    const account = house.env.db.selectFrom('accounts').select('balance').where('id', '=', accountId);
    return (await account.executeTakeFirstOrThrow()).balance;
  }

  /** A number that is routed to a trunk of its own. */
  async function routedNumber(trunk: object = {}, sip: object = {}, did: object = {}) {
    const accountId = await telephony.account(withEvents);
    const trunkId = await telephony.trunk(accountId, trunk, sip);
    const { number, id } = await telephony.did(accountId, { voice_in_trunk_id: trunkId, ...did });
    return { accountId, trunkId, number, didId: id };
  }

  return { house, telephony, voice, call, cdrsOf, eventsOf, openCalls, balanceOf, routedNumber };
}
