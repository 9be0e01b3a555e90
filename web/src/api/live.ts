/**
 * Live events: while a page is visible it listens to `/panel/v1/events`, and what has changed is read again. Without a
 * connection pages ask now and then instead.
 */
import { useEffect, useSyncExternalStore } from 'react';
import { addressOf } from './base.ts';
import { queryClient } from './queries.ts';

/** Topic → the paths of what it changes. */
const concerned: Readonly<Record<string, RegExp>> = {
  orders: /^\/(v3|operator\/v1)\/(orders|dids|balance|numbers)\b|^\/operator\/v1\/(ledger_entries|overview)\b/,
  reservations: /^\/v3\/(did_reservations|available_dids)\b/,
  calls:
    /^\/panel\/v1\/(\w*calls|call_\w+|statistics)\b|^\/v3\/(balance|voice_in_trunks)\b|^\/operator\/v1\/(calls|cdrs_\w+)\b/,
  call_events: /^\/panel\/v1\/(call_events|notifications)\b/,
  verifications: /^\/panel\/v1\/(verifications|statistics)\b|^\/v3\/balance\b/,
  exports: /^\/v3\/exports\b/,
  money: /^\/panel\/v1\/(invoices|statements|notifications)\b|^\/v3\/balance\b/,
  messages: /^\/sandbox\/v1\/messages\b/,
  deliveries: /^\/panel\/v1\/(callbacks|callback_attempts|notifications)\b|^\/operator\/v1\/\w*deliveries\b/,
  reviews:
    /^\/(v3|operator\/v1)\/(address_verifications|emergency_\w+|dids|submissions|reviews)\b|^\/panel\/v1\/notifications\b/,
  jobs: /^\/operator\/v1\/(jobs|processes|overview|catalogue_imports)\b/,
};

/** Changes that come together are read once. */
const collectMs = 150;

let isConnected = false;
const watchers = new Set<() => void>();

function setConnected(value: boolean): void {
  if (isConnected === value) return;
  isConnected = value;
  for (const tell of watchers) tell();
}

const subscribe = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

/** How often a page asks while there are no live events; never with them, and never for undefined. */
export function useFallback(everyMs: number | undefined): number | false {
  const hasEvents = useSyncExternalStore(subscribe, () => isConnected);
  return hasEvents || everyMs === undefined ? false : everyMs;
}

/**
 * Listens as long as the person is signed in. `who` changes when the session shows another account. What changed before
 * `after` is in what the page has read.
 */
export function useLiveEvents(who: string, after: string | null): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another person listens anew
  useEffect(() => {
    let source: EventSource | null = null;
    let lastId = after ?? '';
    let timer = 0;
    let again = 0;
    const topics = new Set<string>();
    const collect = (names: readonly string[]) => {
      for (const name of names) topics.add(name);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        const paths = [...topics].flatMap((name) => concerned[name] ?? []);
        topics.clear();
        queryClient.invalidateQueries({
          predicate: ({ queryKey: [path] }) => typeof path === 'string' && paths.some((each) => each.test(path)),
        });
      }, collectMs);
    };
    const open = () => {
      if (source !== null || document.hidden) return;
      const stream = new EventSource(addressOf(`/panel/v1/events${lastId === '' ? '' : `?after=${lastId}`}`));
      source = stream;
      stream.addEventListener('open', () => setConnected(true));
      stream.addEventListener('change', (event) => {
        lastId = event.lastEventId;
        collect([String((JSON.parse(event.data) as { topic?: unknown }).topic)]);
      });
      stream.addEventListener('refresh', (event) => {
        lastId = event.lastEventId;
        collect(Object.keys(concerned));
      });
      stream.addEventListener('error', () => {
        setConnected(false);
        // The browser comes back by itself after a cut, but not after a refusal: the session may have ended.
        if (stream.readyState !== EventSource.CLOSED) return;
        source = null;
        queryClient.invalidateQueries({ queryKey: ['/panel/v1/session'] });
        again = window.setTimeout(open, 5_000);
      });
    };
    const close = () => {
      source?.close();
      source = null;
      setConnected(false);
    };
    // A browser has few connections to a server, and hidden tabs would use them up.
    const look = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', look);
    open();
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.clearTimeout(timer);
      window.clearTimeout(again);
      close();
    };
  }, [who]);
}
