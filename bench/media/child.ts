/** A process of the benchmark that is asked one thing after another. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

interface Child<To, From> {
  readonly pid: number;
  /** Rejects if the process ends instead of answering. */
  ask(request: To): Promise<From>;
  stop(): Promise<void>;
}

export function startChild<To extends object, From>(file: string, ...options: string[]): Child<To, From> {
  const child = fork(path.join(import.meta.dirname, '../servers', file), options, { stdio: 'inherit' });
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    ask: async (request) => {
      const gone = exited.then(() => Promise.reject(new Error(`${file} has ended`)));
      const answered = once(child, 'message').then(([answer]) => answer);
      child.send(request);
      return Promise.race([answered, gone]);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
