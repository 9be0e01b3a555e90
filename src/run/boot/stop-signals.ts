/** SIGTERM and SIGINT: the first asks for a clean stop, a second one for the end of what it waits for. */

/**
 * A terminal and a supervisor send a signal to every process of a group, and npm passes on what it gets as well: what
 * follows this soon is the same signal, not an impatient person.
 */
const echoMs = 1000;

interface StopSignals {
  /** Also when it comes while everything is still being opened. */
  readonly first: Promise<NodeJS.Signals>;
  /** While `wait` runs a further signal aborts what it is given, and not the process. */
  patiently(wait: (hurry: AbortSignal) => Promise<void>): Promise<void>;
  /** Runs before the process ends on a second signal. */
  beforeEnd(run: () => void): void;
  /** Listens no longer. */
  end(): void;
}

const stopping = ['SIGTERM', 'SIGINT'] as const;

export function listenForStop(): StopSignals {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let askedAt: number | null = null;
  let lastWords = () => {};
  let waiting: AbortController | null = null;
  const hear = (signal: NodeJS.Signals) => {
    if (askedAt === null) {
      askedAt = performance.now();
      resolve(signal);
    } else if (performance.now() - askedAt >= echoMs) {
      if (waiting !== null) {
        askedAt = performance.now();
        return waiting.abort();
      }
      lastWords();
      process.exit(1);
    }
  };
  for (const name of stopping) process.on(name, hear);
  return {
    first: promise,
    patiently: async (wait) => {
      waiting = new AbortController();
      await wait(waiting.signal);
      waiting = null;
    },
    beforeEnd: (run) => {
      lastWords = run;
    },
    end: () => {
      for (const name of stopping) process.off(name, hear);
    },
  };
}
