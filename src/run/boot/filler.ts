/**
 * Fills the database of a first start in a process of its own (fill-database.ts): it computes the catalogue while
 * PostgreSQL makes its cluster and this process loads the program, and what it needed of memory goes with it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

/** A result that comes from the other process. */
export type Filled = { readonly error: string | null };

const program = path.join(import.meta.dirname, `fill-database${path.extname(import.meta.filename)}`);

export class Filler {
  #child: ChildProcess | null = null;

  /** May be called before there is a database. */
  start(): ChildProcess {
    // Not in our process group: Ctrl-C in a terminal is for us, and the other process ends with its connection to this
    // one.
    this.#child ??= fork(program, {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // What the server was given of memory is too little for a second that makes a catalogue.
      execArgv: [],
    });
    return this.#child;
  }

  /** Tables and demo catalogue. */
  async fill(url: string): Promise<void> {
    const child = this.start();
    const { error } = await new Promise<Filled>((resolve, reject) => {
      child.once('message', (filled: Filled) => resolve(filled));
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`the process that fills it ended with ${code ?? signal}`)));
      child.send({ url });
    });
    if (error !== null) throw new Error(`the first database could not be filled: ${error}`);
  }

  stop(): void {
    if (this.#child?.connected) this.#child.disconnect();
    this.#child?.unref();
    this.#child = null;
  }
}
