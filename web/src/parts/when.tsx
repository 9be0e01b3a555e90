/** A time: how far away it is, with the exact one on hover; or the exact one, with how far away it is. */
import { useSession } from '../api/queries.ts';
import { showDate, showDistance, showTime } from './format.ts';

/** Of the environment, when this is painted: the sandbox's clock may be far ahead. */
function useNow(): number {
  const { data: session, dataUpdatedAt } = useSession();
  return session ? Date.now() + Date.parse(session.now) - dataUpdatedAt : Date.now();
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const exact = (iso: string): string => `${showTime(iso)} (${zone})`;

/** 5 minutes ago. */
export function Ago({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={exact(iso)}>
      {showDistance(iso, useNow())}
    </time>
  );
}

/** In 30 days (18 Dec 2026). */
export function DueDate({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={exact(iso)}>
      {showDate(iso)} <span className="beside">{showDistance(iso, useNow())}</span>
    </time>
  );
}

/** 19 Nov 2026, 20:03. */
export function At({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={`${showDistance(iso, useNow())} (${zone})`}>
      {showTime(iso)}
    </time>
  );
}
