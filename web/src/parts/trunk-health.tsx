/** Whether a trunk or carrier answers OPTIONS requests, as a badge in a list and in detail on its page. */

import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { Details } from './details.tsx';
import { showTime } from './format.ts';
import { StateBadge } from './states.tsx';

type PeerHealth = Omit<RecordOf<'/panel/v1/trunk_health'>['attributes'], 'name'>;

/** How often a page asks: the server itself asks a trunk now and then, and there are no live events about it. */
const everyMs = 30_000;

/** By the id of the trunk, of the first hundred by name. */
export function useTrunkHealth(): ReadonlyMap<string, PeerHealth> {
  const read = useRead(pathWith('/panel/v1/trunk_health', { sort: 'name', 'page[size]': 100 }), everyMs);
  return new Map((read.data?.data ?? []).map(({ id, attributes }) => [id, attributes]));
}

const words = { up: 'up', down: 'down', unknown: 'not asked yet' } as const;
const isGood = { up: true, down: false, unknown: null } as const;

export const HealthBadge = ({ health }: { health: PeerHealth | undefined }) =>
  health === undefined ? '–' : <StateBadge word={words[health.health]} good={isGood[health.health]} />;

export function TrunkHealthDetails({ id }: { id: string }) {
  const read = useRead(pathWith('/panel/v1/trunk_health/{id}', { id }), everyMs);
  if (read.data === undefined) return null;
  return <PeerHealthDetails health={read.data.data.attributes} />;
}

export function PeerHealthDetails({ health }: { health: PeerHealth }) {
  return (
    <Details
      title="Does it answer?"
      rows={[
        ['State', <HealthBadge key="state" health={health} />],
        ['Since', health.health_since && showTime(health.health_since)],
        ['Last asked', health.health_checked_at && showTime(health.health_checked_at)],
        ['Response', health.health_response],
        ['Round trip', health.health_round_trip_ms === null ? null : `${health.health_round_trip_ms} ms`],
        ['Sent OPTIONS itself', health.heard_at && showTime(health.heard_at)],
      ]}
    />
  );
}
