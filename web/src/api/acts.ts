/** The one way in which pages write: guarded against a second click, and never kept for later. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { originOf, setUnseen, showError } from '../parts/first-error.ts';
import { sessionPath } from './base.ts';
import { confirmIdentity } from './confirmation.ts';
import { untilSettled } from './ended-session.ts';
import type { WriteMethod } from './problems.ts';
import { transmit } from './request.ts';
import type { AnswerOf, BodyArgument, Operation, Path } from './routes.ts';
import { createSend, type Send, type SendAny, typed } from './writer.ts';

type Act<T, V = void> = Omit<UseMutationResult<T, Error, V>, 'mutate' | 'mutateAsync'> & {
  /** Does nothing while the same is under way. */
  mutate: (input: V) => void;
};

/** An act of one or more requests; afterwards everything on the page is read again. */
export const useAct = <T, V = void>(
  act: (send: Send, input: V) => Promise<T>,
  onDone?: (answer: T, input: V) => unknown,
): Act<T, V> => useGuarded((send, input) => act(typed(send), input), onDone);

function useGuarded<T, V>(
  act: (send: SendAny, input: V) => Promise<T>,
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

/** One request; what it carries follows from its operation. */
export type Write<O extends Operation> = {
  method: WriteMethod;
  path: string;
  body?: unknown;
} & (O extends `${infer M extends WriteMethod} ${infer R}`
  ? { method: M; path: Path<unknown, R> } & Carried<BodyArgument<O>>
  : never);
type Carried<B> = B extends [body: infer Body]
  ? { body: Body }
  : B extends [body?: infer Body]
    ? { body?: Body }
    : never;

/** An act that is one request, such as `useWrite<'POST /v3/orders'>()`. */
export const useWrite = <O extends Operation = never>(
  onDone?: (answer: AnswerOf<O>) => unknown,
): Act<AnswerOf<O>, Write<O>> =>
  useGuarded<AnswerOf<O>, Write<O>>(
    (send, { method, path, body }) => send(method, path, body) as Promise<AnswerOf<O>>,
    onDone,
  );
