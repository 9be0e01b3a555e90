/**
 * Whether the session of this page has ended under it. The page stays as it is, with what was typed, until the same
 * person has signed in again; what they asked for last then goes on.
 */
import { useSyncExternalStore } from 'react';

let hasEnded = false;
let waiting: ((isSamePerson: boolean) => void)[] = [];
const watchers = new Set<() => void>();

function change(value: boolean): void {
  if (hasEnded === value) return;
  hasEnded = value;
  for (const tell of watchers) tell();
}

export const sessionHasEnded = (): void => change(true);

/** Somebody is signed in again, or has left: acts go on for the same person only. */
export function sessionIsSettled(isSamePerson: boolean): void {
  const told = waiting;
  waiting = [];
  change(false);
  for (const tell of told) tell(isSamePerson);
}

/** Whether the same person is signed in, as soon as that is known; at once unless the session has ended. */
export const untilSettled = (): Promise<boolean> =>
  hasEnded ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(true);

const subscribe = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export const useHasEnded = (): boolean => useSyncExternalStore(subscribe, () => hasEnded);
