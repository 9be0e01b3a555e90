/** The environment's time in the browser: the sandbox's clock may be far ahead of the machine's. */
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useSession } from '../api/queries.ts';

/** Milliseconds, renewed every second. */
export function useServerNow(): number {
  const { data: session, dataUpdatedAt } = useSession();
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  return session ? now + Date.parse(session.now) - dataUpdatedAt : now;
}
