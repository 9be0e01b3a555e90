/**
 * Opens a call: counts channels, decides, and inserts the row that holds the channel. Most calls find a free channel,
 * so the first decision assumes that nothing is in use, and one statement counts and inserts the call if it fits. If it
 * does not fit, the statement returns the counts, and the decision is made again with them.
 */
import type { Pool } from 'pg';
import { groupedByPool } from '../../engines/db/grouped.ts';
import { type Amount, parseAmount } from '../money/decimal.ts';
import { type Call, storedCall } from './call.ts';
import type { Counted, InUse } from './channels.ts';
import { ensureMonths } from './months.ts';
import type { CallHost, Direction } from './ports.ts';
import { type NoMoney, openingWish } from './reservation.ts';

/** How many calls a decision allows besides the new one; null for no limit. */
export interface Within {
  number: number | null;
  /** Of the kind of channel that the call takes. */
  channel: number | null;
  trunkGroup: number | null;
  trunk: number | null;
}

/** A decision must refuse whenever it refuses with less in use: a refusal is not checked against the counts. */
interface Opening<D> {
  counted: Counted;
  /** `refused`: why the call that was decided on gets no money. */
  decide(inUse: InUse, refused: NoMoney | null): D;
}

const nothingInUse: InUse = {
  ...{ number_total: 0, included: 0, dedicated: 0, shared: 0, metered: 0, in_group: 0 },
  by_trunk: {},
};

/** A decision fails to fit only if another call took the channel since the count, so more tries mean a fault. */
const mostTries = 100;

/**
 * Returns the result of `decide`. If it contains a call, the call is open and holds money; if it is a refusal, nothing
 * was written.
 */
export async function openCall<C extends Call, D extends { call: C; within: Within } | { code: number }>(
  host: CallHost,
  direction: Direction<C>,
  streams: readonly string[],
  { counted, decide }: Opening<D>,
): Promise<{ decision: D; held: Amount }> {
  await ensureMonths(host.env, 'call_events', host.env.clock.now());
  let inUse = nothingInUse;
  let refused: NoMoney | null = null;
  for (let tries = 0; tries < mostTries; tries++) {
    const decision = decide(inUse, refused);
    if (!('call' in decision)) return { decision, held: 0n };
    const { call, within } = decision;
    const result = await writeOpening(host.env.pool, openingOf(host, direction, call, streams, counted, within));
    if (result.opened) {
      wake(host, direction, call, streams);
      return { decision, held: parseAmount(result.held) };
    }
    inUse = result;
    refused = result.refused;
  }
  throw new Error('a call could not be opened: its decision and the limits of its statement disagree');
}

/** A call as `voice_open_calls` reads it. */
export function openingOf<C extends Call>(
  host: Pick<CallHost, 'env' | 'workerId'>,
  direction: Direction<C>,
  call: C,
  streams: readonly string[],
  counted: Counted,
  within: Within,
) {
  const holding = direction.holding(call);
  return {
    id: call.id,
    direction: direction.name,
    account_id: call.accountId,
    worker_id: host.workerId,
    state: call.state,
    did_id: holding.didId,
    channel: holding.channel,
    shared_capacity_group_id: holding.sharedCapacityGroupId,
    trunk_id: holding.trunkId,
    trunk_group_id: holding.trunkGroupId,
    time_start: call.timeStart,
    call: storedCall(call, streams),
    stream: direction.eventStream,
    event: streams.includes(direction.eventStream) ? JSON.stringify(direction.event('start', call)) : null,
    at: host.env.clock.now(),
    counted_did: counted.did,
    counted_capacity_group: counted.capacityGroup,
    counted_trunk_group: counted.trunkGroup,
    counted_trunks: counted.trunks,
    most_number: within.number,
    most_channel: within.channel,
    most_trunk_group: within.trunkGroup,
    most_trunk: within.trunk,
    ...openingWish(host.env, direction.tariff(call)),
    risk_number: direction.dialled(call),
  };
}

type WrittenOpening = ReturnType<typeof openingOf>;

/**
 * The function takes locks and counts what was committed before it got them; they are held until the rows are
 * committed.
 */
export const openStatement = `
  select call_id, opened, held, refused, number_total, included, dedicated, shared, metered, in_group, by_trunk from voice_open_calls($1::json)`;

/** Returns whether the call was opened, and what was in use before it. Calls of one moment are opened together. */
const writeOpening = groupedByPool(async (pool: Pool, openings: readonly WrittenOpening[]) => {
  const values = [JSON.stringify(openings)];
  const { rows } = await pool.query<Opened>({ name: 'voice_open_call', text: openStatement, values });
  const byCall = new Map(rows.map((row) => [row.call_id, row]));
  return openings.map(({ id }) => {
    const row = byCall.get(id);
    if (row === undefined) throw new Error('voice_open_calls returns a row for each call');
    return row;
  });
});

interface Opened extends InUse {
  call_id: string;
  opened: boolean;
  held: string;
  refused: NoMoney | null;
}

/** Wakes the deliverer after a commit that wrote events, so that delivery does not wait for the next poll. */
export function wake<C extends Call>(
  host: CallHost,
  { eventStream }: Direction<C>,
  { accountId }: C,
  streams: readonly string[],
): void {
  if (accountId !== null && streams.length > 0) host.onEvents(accountId, eventStream);
}
