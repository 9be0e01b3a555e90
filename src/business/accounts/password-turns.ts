/**
 * Takes turns in computing password hashes. Each takes a tenth of a second of a core and 32 MB on purpose, so only a
 * few are computed at a time, a few more may wait, and one address has only a share of those: a flood of sign-ins is
 * refused (503) instead of using up the machine.
 */
import { Overloaded } from '../../engines/db/unavailable.ts';
import { addressGroup } from './allowed-ips.ts';

export const passwordTurns = { atOnce: 2, waiting: 40, perAddress: 6 } as const;

let running = 0;
const waiting: (() => void)[] = [];
const bySource = new Map<string, number>();

export async function withPasswordTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
  const source = addressGroup(address);
  const own = bySource.get(source) ?? 0;
  if (own >= passwordTurns.perAddress || (running >= passwordTurns.atOnce && waiting.length >= passwordTurns.waiting)) {
    throw new Overloaded('too many passwords are being checked');
  }
  bySource.set(source, own + 1);
  try {
    await turn();
    try {
      return await work();
    } finally {
      pass();
    }
  } finally {
    const left = (bySource.get(source) ?? 1) - 1;
    if (left > 0) bySource.set(source, left);
    else bySource.delete(source);
  }
}

async function turn(): Promise<void> {
  if (running < passwordTurns.atOnce) {
    running += 1;
    return;
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** The turn goes to the next in the queue, so `running` only falls when nobody waits. */
function pass(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
