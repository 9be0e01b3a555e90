/**
 * Shares one run of an action among callers that come while another runs. Each caller gets the result of a run that began
 * after its call, so it sees everything that was committed before it asked, and any number of callers cost two runs at a time.
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
