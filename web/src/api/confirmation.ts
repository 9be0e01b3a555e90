/** Acts for which the server wants the person to prove again who they are: the act waits for that, and then goes on. */
import { useSyncExternalStore } from 'react';

let waiting: ((isConfirmed: boolean) => void)[] = [];
const watchers = new Set<() => void>();

function change(next: typeof waiting): void {
  waiting = next;
  for (const tell of watchers) tell();
}

/** Opens the dialog. Whether the person has proved who they are; false if they would rather not. */
export const confirmIdentity = (): Promise<boolean> => new Promise((resolve) => change([...waiting, resolve]));

export function identityIsSettled(isConfirmed: boolean): void {
  const told = waiting;
  change([]);
  for (const tell of told) tell(isConfirmed);
}

const subscribe = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export const useIsAsked = (): boolean => useSyncExternalStore(subscribe, () => waiting.length > 0);
