/**
 * Set-up that a test file states in one line: what it opens before its first test and closes after its last one. The
 * returned object stands for the opened one, so `const server = useServer()` may be used in every test and helper
 * below.
 */
import { afterAll, beforeAll } from 'vitest';

/** Made before the first test. Nothing ends it. */
export function useMade<T extends object>(make: () => Promise<T>): T {
  let current: T | undefined;
  beforeAll(async () => {
    current = await make();
  });
  const made = (): T => {
    if (current === undefined) throw new Error('this is made by a beforeAll hook, and used before it');
    return current;
  };
  return new Proxy<T>({} as T, {
    get: (_, name) => {
      const value = Reflect.get(made(), name);
      // A method of a class with private fields runs on the object itself only.
      return typeof value === 'function' ? value.bind(made()) : value;
    },
    has: (_, name) => Reflect.has(made(), name),
    ownKeys: () => Reflect.ownKeys(made()),
    getOwnPropertyDescriptor: (_, name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(made(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
}

/** Opened before the first test, closed after the last one. */
export function useOpened<T extends { close(): Promise<unknown> }>(open: () => Promise<T>): T {
  const opened = useMade(open);
  afterAll(async () => {
    await opened.close();
  });
  return opened;
}
