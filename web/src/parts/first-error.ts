/**
 * Leads the eye to what a write was refused for: to its first invalid field, else to the message beside the button.
 * What the page shows nowhere is shown at its lower edge, so that no write fails in silence.
 */
import { useSyncExternalStore } from 'react';
import { ApiProblem } from '../api/problems.ts';

/** The form or dialog from which a write is sent, to find its fields again. */
export const originOf = (): Element | null =>
  document.activeElement?.closest('form, [role="dialog"], section, .mantine-Paper-root') ?? null;

export function showError(error: Error, origin: Element | null): void {
  const place = origin?.isConnected ? origin : ([...document.querySelectorAll('[role="dialog"]')].at(-1) ?? document);
  place.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  const seen = document.body.innerText;
  const unseen = textsOf(error).filter((texts) => !texts.some((text) => seen.includes(text)));
  setUnseen(unseen.map(([text]) => text ?? ''));
}

/** For each problem what stands for it on a page: its sentence, or at a field its title. */
function textsOf(error: Error): string[][] {
  if (!(error instanceof ApiProblem)) return [[error.message]];
  return error.problems.map(({ title, detail }) => [detail, title.charAt(0).toUpperCase() + title.slice(1)]);
}

let unseen: readonly string[] = [];
const watchers = new Set<() => void>();

export function setUnseen(texts: readonly string[]): void {
  if (texts.length === 0 && unseen.length === 0) return;
  unseen = texts;
  for (const tell of watchers) tell();
}

const subscribe = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export const useUnseen = (): readonly string[] => useSyncExternalStore(subscribe, () => unseen);
