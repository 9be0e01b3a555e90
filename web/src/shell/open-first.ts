/** Enter in ⌘K: what is found arrives after typing, when nothing of it is selected, so the first result is opened. */
import type { KeyboardEvent } from 'react';

export function openFirst({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  const dialog = currentTarget.closest('[role=dialog]');
  if (key !== 'Enter' || dialog === null || dialog.querySelector('[data-selected]') !== null) return;
  dialog.querySelector<HTMLElement>('[data-action]')?.click();
}
