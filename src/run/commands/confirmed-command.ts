/**
 * Declares a command whose act cannot be taken back, or reaches many records at once. It names its environment and a
 * reason; it is rehearsed first, in a transaction that is rolled back, and goes on once a person has typed what is
 * concerned, or with `--yes`. `--dry-run` ends with the rehearsal.
 */
import { createInterface } from 'node:readline/promises';
import { OperatorError } from '../../base/operator-error.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { reasonOption, requireReason } from './change-command.ts';
import type { Command, Declaration, Input, Options, Values } from './command.ts';
import { environmentCommand, environmentOptions } from './open-environment.ts';

/** What the act does, as the rehearsal found it and as it was done. */
interface Outcome {
  /** A person types it to go on: a name, or how many. */
  concerned: string;
  /** Without a full stop, in the present: `3 keys stop working`. */
  effects: readonly string[];
  done: string;
}

type Confirmed<O extends Options> = Omit<Declaration<O>, 'run'> & {
  /** Runs twice, the first time to be rolled back: `env.db` is all of the database that it may use. */
  run(input: { env: Environment; reason: string } & Pick<Input<O>, 'values' | 'positionals'>): Promise<Outcome>;
};

const ownOptions = {
  ...environmentOptions,
  env: { ...environmentOptions.env, summary: 'which environment; has no default here' },
  reason: { ...reasonOption.reason, summary: 'why; needed, and kept in the audit log' },
  'dry-run': { type: 'boolean', summary: 'show what would happen, and change nothing' },
  yes: { type: 'boolean', summary: 'do it without asking' },
} as const;

export function confirmedCommand<const O extends Options>({ run, options, ...rest }: Confirmed<O>): Command {
  return environmentCommand<Options>({
    ...rest,
    options: { ...options, ...ownOptions },
    check: (given) => {
      const values = given as Values<typeof ownOptions>;
      if (values.env === undefined) throw new OperatorError('--env is missing: say where this is meant.');
      requireReason(values);
    },
    run: async ({ env, values, positionals, out }) => {
      const { reason = '', yes, 'dry-run': isTrial } = values as Values<typeof ownOptions>;
      const act = (inside: Environment) => run({ env: inside, reason, values: values as Values<O>, positionals });
      if (isTrial || !yes) {
        const { concerned, effects } = await rehearse(env, act);
        const preview = [`In ${env.name}:`, ...effects.map((effect) => `  ${effect}`)];
        if (isTrial) {
          for (const line of [...preview, 'Nothing was changed.']) out(line);
          return;
        }
        await askFor(concerned, preview);
      }
      out((await act(env)).done);
    },
  });
}

async function rehearse<T>(env: Environment, act: (inside: Environment) => Promise<T>): Promise<T> {
  const rehearsal: { outcome?: { is: T } } = {};
  const over = new Error('the rehearsal is over');
  await inTransaction(env.db, async (trx) => {
    rehearsal.outcome = { is: await act({ ...env, db: trx }) };
    throw over;
  }).catch((error) => {
    if (error !== over) throw error;
  });
  if (rehearsal.outcome === undefined) throw new Error('a rehearsal without an outcome');
  return rehearsal.outcome.is;
}

interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/** Returns once somebody has typed the word; throws if nobody is there, or it is another one. */
export async function askFor(
  word: string,
  preview: readonly string[],
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (!input.isTTY)
    throw new OperatorError('Nothing was changed: add --yes to do it, or --dry-run to see what it does.');
  for (const line of preview) output.write(`${line}\n`);
  const terminal = createInterface({ input, output });
  // Somebody who ends the input has not agreed.
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const typed = await Promise.race([terminal.question(`Type ${word} to go on: `), ended]);
  terminal.close();
  if (typed.trim() !== word) throw new OperatorError('Nothing was changed.');
}
