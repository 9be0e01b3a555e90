/** The pause between two starts for one number of one application. */
export const COOLDOWN_SECONDS = 30;

/** Whole seconds until a start is accepted, at least 1 while there is any wait; 0 from exactly 30 seconds on. */
export function cooldownLeft(startedAt: Date, now: Date): number {
  const left = Math.ceil((startedAt.getTime() + COOLDOWN_SECONDS * 1000 - now.getTime()) / 1000);
  // A start that is a moment younger than this request still asks for no more than the whole cooldown.
  return Math.min(COOLDOWN_SECONDS, Math.max(0, left));
}
