/** What OPTIONS requests found out about a carrier or trunk, as operators and customers see it. */
import { dateTime, integer, text } from '../../engines/jsonapi/attributes.ts';
import type { Attribute } from '../../engines/jsonapi/facts.ts';

const healthStates = { up: 'It answers.', down: 'It does not answer.', unknown: 'It has not been asked yet.' };

/** `owner` is the column of `sip_peers` that names the row of this type. */
export function peerHealth(owner: 'carrier_id' | 'trunk_id') {
  const found = (column: string) => `(select p.${column} from sip_peers p where p.${owner} = t.id)`;
  return {
    health: text({
      column: `coalesce(${found('state')}, 'unknown')`,
      values: healthStates,
      doc: 'Whether it answers OPTIONS.',
    }),
    health_since: dateTime({ nullable: true, column: found('since'), doc: 'Since when that is so.' }),
    health_checked_at: dateTime({ nullable: true, column: found('checked_at'), doc: 'When it was asked last.' }),
    health_response: text({
      nullable: true,
      column: found('response'),
      doc: 'What it answered, such as `200 OK`, or why there is no answer.',
    }),
    health_round_trip_ms: integer({
      nullable: true,
      column: found('round_trip_ms'),
      doc: 'Milliseconds until it answered.',
    }),
    heard_at: dateTime({ nullable: true, column: found('heard_at'), doc: 'When it sent OPTIONS itself.' }),
  } satisfies Record<string, Attribute>;
}
