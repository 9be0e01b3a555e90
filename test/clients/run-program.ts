/** Runs the programs of clients, two at a time, and reads the lines that they print. */
import { execFile } from 'node:child_process';
import { type Client, idOf, programs } from './clients.ts';
import type { ClientServer } from './server.ts';

/** Of a whole program on a busy machine; what hangs here hangs for ever. */
const withinMs = 240_000;

/** By the name of the step. */
export type Printed = ReadonlyMap<string, string>;

/** By the client's id. The promises come at once; each settles when its program has ended. */
export function runAll(clients: readonly Client[], server: ClientServer, atATime = 2): Map<string, Promise<Printed>> {
  const lanes = Array.from({ length: atATime }, () => Promise.resolve<unknown>(null));
  return new Map(
    clients.map((client, index) => {
      const run = () => runProgram(client, index, server);
      const lane = index % atATime;
      const printed = (lanes[lane] ?? Promise.resolve()).then(run);
      // The test of this client reports a failure; the next one runs in any case.
      lanes[lane] = printed.catch(() => null);
      return [idOf(client), printed] as const;
    }),
  );
}

async function runProgram(client: Client, index: number, server: ClientServer): Promise<Printed> {
  const numbers = `+4915110${String(index).padStart(3, '0')}00`;
  const output = await execute(client.command, server.folder, {
    ...server.variables,
    CLIENT: idOf(client),
    NUMBERS: numbers,
  });
  const lines = output.trimEnd().split('\n');
  return new Map(lines.map((line) => [line.split(': ', 1)[0] ?? '', line.replace(/^[^:]*: /, '')]));
}

/** What a program prints; an error with all of its output if it fails. */
export function execute(
  [program = '', ...args]: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    LANG: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    BUILD: folder,
    NODE: process.execPath,
    ...variables,
  };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: programs, env, timeout: withinMs }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
}
