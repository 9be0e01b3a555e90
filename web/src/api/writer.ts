/**
 * How a write is sent: with an `Idempotency-Key` that stays the same until its outcome is known, so that somebody who
 * tries again after a cut connection does not buy twice, and once more after signing in again or proving who they are.
 */
import { ApiProblem, type WriteMethod } from './problems.ts';
import type { AnswerOf, BodyArgument, Operation, Path } from './routes.ts';

/** Sends one write: what it takes and answers follows from its method and its route. */
export type Send = <M extends WriteMethod, R extends string>(
  method: M,
  path: Path<unknown, R>,
  ...body: BodyArgument<`${M} ${R}`>
) => Promise<Answered<`${M} ${R}`>>;
type Answered<O> = O extends Operation ? AnswerOf<O> : never;
/** The same, whatever the write is. */
export type SendAny = (method: WriteMethod, path: string, body?: unknown) => Promise<unknown>;

export function typed(send: SendAny): Send {
  function sendTyped<M extends WriteMethod, R extends string>(
    method: M,
    path: Path<unknown, R>,
    ...body: BodyArgument<`${M} ${R}`>
  ): Promise<Answered<`${M} ${R}`>>;
  function sendTyped(method: WriteMethod, path: string, body?: unknown): Promise<unknown> {
    return send(method, path, body);
  }
  return sendTyped;
}

interface WriterParts {
  transmit: (method: WriteMethod, path: string, body: unknown, key: string) => Promise<unknown>;
  /** Resolves when the person who was signed in is so again; false if they are not. */
  signInAgain: () => Promise<boolean>;
  /** Resolves when the person has proved again who they are; false if they have not. */
  confirm: () => Promise<boolean>;
  newKey: () => string;
}

interface Sent {
  method: WriteMethod;
  path: string;
  body: unknown;
  key: string;
}

export function createSend({ transmit, signInAgain, confirm, newKey }: WriterParts): SendAny {
  /** Write → the key under which it was sent, while nobody knows what became of it. */
  const keys = new Map<string, string>();
  /** Each question is asked once. */
  const attempt = async (write: Sent, asked: readonly (() => Promise<boolean>)[] = []): Promise<unknown> => {
    const { method, path, body, key } = write;
    try {
      return await transmit(method, path, body, key);
    } catch (error) {
      const ask = isUnauthorized(error, path) ? signInAgain : needsProof(error) ? confirm : null;
      if (ask === null || asked.includes(ask) || !(await ask())) throw error;
      return attempt(write, [...asked, ask]);
    }
  };
  return async (method, path, body) => {
    const same = isRepeatable(body) ? writeText(method, path, body) : null;
    const key = (same === null ? undefined : keys.get(same)) ?? newKey();
    if (same !== null) keys.set(same, key);
    try {
      const answer = await attempt({ method, path, body, key });
      if (same !== null) keys.delete(same);
      return answer;
    } catch (error) {
      if (same !== null && isFinal(error)) keys.delete(same);
      throw error;
    }
  };
}

const writeText = (...parts: unknown[]): string => JSON.stringify(parts);

/** Files are encrypted anew for each attempt, so the same key would stand for another body. */
const isRepeatable = (body: unknown): boolean => !(body instanceof FormData || body instanceof Blob);

/** Signing in is itself refused with 401. */
const isUnauthorized = (error: unknown, path: string): boolean =>
  error instanceof ApiProblem && error.status === 401 && !path.startsWith('/panel/v1/session');

const needsProof = (error: unknown): boolean =>
  error instanceof ApiProblem && error.problems.some(({ meta }) => meta?.needed === 'confirmation');

/** A refusal that says that nothing was done. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiProblem &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 408, 409, 425, 429].includes(error.status);
