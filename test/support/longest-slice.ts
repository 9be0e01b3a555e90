/** How much of a long piece of work is done before others get a turn: counted, not timed. */

/** `work` calls `step` for each item; returns the most calls without a turn of the event loop between them. */
export async function longestSlice(work: (step: () => void) => Promise<unknown>): Promise<number> {
  let longest = 0;
  let now = 0;
  let isOver = false;
  const turn = () => {
    now = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work(() => {
      now += 1;
      longest = Math.max(longest, now);
    });
  } finally {
    isOver = true;
  }
  return longest;
}
