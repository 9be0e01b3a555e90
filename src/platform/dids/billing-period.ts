/** Calendar arithmetic of billing, in UTC: days as `YYYY-MM-DD`, moments as Date. */

/** So many months later, on the wanted day of the month or the last one the month has. */
export function monthsLater(day: string, months: number, wantedDay = Number(day.slice(8))): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return dayOf(new Date(Date.UTC(year, month - 1 + months, Math.min(wantedDay, last))));
}

/** The end of so many periods of a month that began at `since`: the same time of day on the same day of the month. */
export function endOfPeriods(since: Date, periods: number): Date {
  const day = monthsLater(dayOf(since), periods);
  return new Date(`${day}${since.toISOString().slice(10)}`);
}

/** A number's first month as its order shows it. */
export function oneMonthOf(now: Date): { from: string; to: string } {
  const from = dayOf(now);
  return { from, to: monthsLater(from, 1) };
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

export function dayBefore(day: string): string {
  return dayOf(new Date(Date.parse(day) - 86_400_000));
}

export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
