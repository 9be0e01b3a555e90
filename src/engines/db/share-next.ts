/**
 * Shares one run of an action among callers that come while another runs. Each caller gets the result of a run that
 * began after its call, so it sees everything that was committed before it asked, and any number of callers cost two
 * runs at a time.
 */
export function shareNext<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const start = (): Promise<T> => {
    next = null;
    const begun = run();
    running = begun;
    const end = () => {
      if (running === begun) running = null;
    };
    begun.then(end, end);
    return begun;
  };
  return () => {
    if (running === null && next === null) return start();
    next ??= (running ?? Promise.resolve()).then(start, start);
    return next;
  };
}

/**
 * The same for actions by key; a key stands for one action, and is forgotten when nobody waits for it. The action of
 * who came last is run: what it knows of the time is the newest.
 */
export function shareNextBy<T>(): (key: string, run: () => Promise<T>) => Promise<T> {
  const shares = new Map<string, Share<T>>();
  return async (key, run) => {
    const share = shares.get(key) ?? new Share(run);
    shares.set(key, share);
    share.run = run;
    share.callers += 1;
    try {
      return await share.ask();
    } finally {
      share.callers -= 1;
      if (share.callers === 0) shares.delete(key);
    }
  };
}

class Share<T> {
  run: () => Promise<T>;
  callers = 0;
  readonly ask = shareNext(() => this.run());

  constructor(run: () => Promise<T>) {
    this.run = run;
  }
}
