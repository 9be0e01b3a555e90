/** The one way in which pages write: guarded against a second click, and never kept for later. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { originOf, setUnseen, showError } from '../parts/first-error.ts';
import { sessionPath } from './base.ts';
import { confirmIdentity } from './confirmation.ts';
import { untilSettled } from './ended-session.ts';
import type { WriteMethod } from './problems.ts';
import { transmit } from './request.ts';
import { createSend, type Send } from './writer.ts';

type Act<T, V = void> = Omit<UseMutationResult<T, Error, V>, 'mutate' | 'mutateAsync'> & {
  /** Does nothing while the same is under way. */
  mutate: (input: V) => void;
};

/** An act of one or more requests; afterwards everything on the page is read again. */
export function useAct<T, V = void>(
  act: (send: Send, input: V) => Promise<T>,
  onDone?: (answer: T, input: V) => unknown,
): Act<T, V> {
  const client = useQueryClient();
  const running = useRef(new Set<string>());
  const [send] = useState(() =>
    createSend({
      transmit,
      newKey,
      confirm: confirmIdentity,
      signInAgain: async () => {
        await client.refetchQueries({ queryKey: [sessionPath] });
        return untilSettled();
      },
    }),
  );
  const mutation = useMutation<T, Error, V>({
    mutationFn: (input) => act(send, input),
    // A paused write would be sent whenever the connection comes back, however long after the click.
    networkMode: 'always',
    onSuccess: async (answer, input) => {
      await onDone?.(answer, input);
      await client.invalidateQueries();
    },
    onSettled: (_answer, _error, input) => {
      running.current.delete(textOf(input));
    },
  });
  const origin = useRef<Element | null>(null);
  useEffect(() => {
    if (mutation.error !== null) showError(mutation.error, origin.current);
  }, [mutation.error]);
  // The button is disabled with the next frame only; a second click may come before it.
  const mutate = (input: V) => {
    if (running.current.has(textOf(input))) return;
    running.current.add(textOf(input));
    origin.current = originOf();
    setUnseen([]);
    mutation.mutate(input);
  };
  return { ...mutation, mutate };
}

const textOf = (input: unknown): string => JSON.stringify(input) ?? '';

/** Pages over plain HTTP have no `randomUUID`. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

interface Write {
  method: WriteMethod;
  path: string;
  body?: unknown;
}

/** An act that is one request. */
export const useWrite = <T>(onDone?: (answer: T) => unknown): Act<T, Write> =>
  useAct<T, Write>((send, { method, path, body }) => send<T>(method, path, body), onDone);
