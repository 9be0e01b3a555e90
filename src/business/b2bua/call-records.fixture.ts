/** What calls leave behind in the database: call detail records, and the events that are stored for the customers. */
import type { Telephony } from '../../../test/support/telephony.ts';
import type { Environment } from '../../engines/environment.ts';
import { writeStream } from '../voice/events/stream-settings.ts';

export interface StoredEvent {
  stream: string;
  body: { type: string; id: string; attributes: Record<string, unknown> };
}

export interface CallRecords {
  /** Of the calls to this number. */
  cdrs(number: string): Promise<Record<string, unknown>[]>;
  /** Of the account's calls out. */
  cdrsOut(accountId: string): Promise<Record<string, unknown>[]>;
  /** Of all calls of the account, in their order. */
  events(accountId: string): Promise<StoredEvent[]>;
  /** One line for each call of the account, such as `in: start connect end`. */
  eventsByCall(accountId: string): Promise<string[]>;
}

export function callRecords({ pool }: Environment): CallRecords {
  const rowsOf = async (text: string, value: string) => (await pool.query(text, [value])).rows;
  const events = (accountId: string): Promise<StoredEvent[]> =>
    rowsOf('select stream, body::json as body from call_events where account_id = $1 order by id', accountId);
  return {
    events,
    cdrs: (number) => rowsOf('select * from cdrs_in where did_number = $1 order by attempt, time_start', number),
    cdrsOut: (id) => rowsOf('select * from cdrs_out where account_id = $1 order by time_start, time_end', id),
    eventsByCall: async (accountId) => {
      const byCall = Map.groupBy(await events(accountId), ({ body }) => body.id);
      return [...byCall.values()].map((all) => {
        const kinds = all.map(({ body }) => /-call-(\w+)-event$/.exec(body.type)?.[1] ?? body.type);
        return `${all[0]?.stream === 'voice_in_events' ? 'in' : 'out'}: ${kinds.join(' ')}`;
      });
    },
  };
}

/** Events of every account are stored; nobody listens at their address. */
export function withEvents(env: Environment, telephony: Telephony): Telephony {
  return {
    ...telephony,
    account: async (options) => {
      const id = await telephony.account(options);
      for (const stream of ['voice_in_events', 'voice_out_events'] as const)
        await writeStream(env, id, stream, { url: 'http://127.0.0.1:9/' });
      return id;
    },
  };
}
