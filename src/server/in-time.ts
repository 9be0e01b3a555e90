/** For pages that ask the database and must answer when it does not. */
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 2_000;

/** What the work comes to, or an error once nobody should wait for it any longer. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, tooLate()]);
}

async function tooLate(): Promise<never> {
  await sleep(patienceMs, undefined, { ref: false });
  throw new Error('the database did not answer in time');
}
