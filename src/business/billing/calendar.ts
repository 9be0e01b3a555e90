/** Calendar arithmetic of billing, in UTC: days as `YYYY-MM-DD`, moments as Date. */

export const dayMs = 86_400_000;

/** Adds months; the result is on `wantedDay`, or on the last day of a shorter month. */
export function monthsLater(day: string, months: number, wantedDay = Number(day.slice(8))): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return dayOf(new Date(Date.UTC(year, month - 1 + months, Math.min(wantedDay, last))));
}

/** The end of this many monthly periods that began at `since`: same day of the month, same time. */
export function endOfPeriods(since: Date, periods: number): Date {
  const day = monthsLater(dayOf(since), periods);
  return new Date(`${day}${since.toISOString().slice(10)}`);
}

/** The first moment of a month `YYYY-MM`, and of the one after it. */
export function monthBounds(month: string): { from: Date; to: Date } {
  const first = `${month}-01`;
  return { from: startOf(first), to: startOf(monthsLater(first, 1)) };
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs);
}

export function dayBefore(day: string): string {
  return dayOf(new Date(Date.parse(day) - dayMs));
}

export function dayAfter(day: string): string {
  return dayOf(new Date(Date.parse(day) + dayMs));
}

/** The moment a day begins. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
