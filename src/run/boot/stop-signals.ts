/** SIGTERM and SIGINT: the first asks for a clean stop, a second one for the end. */

/**
 * A terminal and a supervisor send a signal to every process of a group, and npm passes on what it gets as well: what
 * follows this soon is the same signal, not an impatient person.
 */
const echoMs = 1000;

interface StopSignals {
  /** Also when it comes while everything is still being opened. */
  readonly first: Promise<NodeJS.Signals>;
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
  const hear = (signal: NodeJS.Signals) => {
    if (askedAt === null) {
      askedAt = performance.now();
      resolve(signal);
    } else if (performance.now() - askedAt >= echoMs) {
      lastWords();
      process.exit(1);
    }
  };
  for (const name of stopping) process.on(name, hear);
  return {
    first: promise,
    beforeEnd: (run) => {
      lastWords = run;
    },
    end: () => {
      for (const name of stopping) process.off(name, hear);
    },
  };
}
