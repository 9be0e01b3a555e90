/** The command line: finds the command that the words name, runs it, and turns what went wrong into one sentence. */
import manifest from '../../package.json' with { type: 'json' };
import { OperatorError } from '../base/operator-error.ts';
import { type CommandSummary, columns } from './commands/command.ts';
import { type IndexedCommand, index, loadCommand } from './commands/commands.ts';
import { didYouMean } from './commands/suggest.ts';

/**
 * What scripts may rely on: 0 done, 1 refused with a sentence (nothing was changed), 70 an error of Trunkline itself.
 */
const exitCodes = { done: 0, refused: 1, failed: 70 } as const;

/** Returns the exit code. */
export async function runCommandLine(words: string[]): Promise<number> {
  process.stdout.on('error', (error) => {
    if (!isBrokenPipe(error)) throw error;
  });
  try {
    const out = (line: string) => void process.stdout.write(`${line}\n`);
    if (words[0] === '--help' || words[0] === '-h' || words[0] === 'help') {
      out(overview(index));
      return 0;
    }
    if (words[0] === '--version') {
      out(manifest.version);
      return 0;
    }
    const command = findCommand(words.length === 0 ? ['serve'] : words);
    if (command === undefined) return groupHelp(words, out);
    await (await loadCommand(command)).execute(words.slice(command.name.split(' ').length), out);
    return 0;
  } catch (error) {
    if (isBrokenPipe(error)) return 0;
    const isRefusal = error instanceof OperatorError;
    process.stderr.write(isRefusal ? `${error.message}\n` : `${describe(error)}\n`);
    return isRefusal ? exitCodes.refused : exitCodes.failed;
  }
}

function findCommand(words: string[]): IndexedCommand | undefined {
  return index.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
}

/** `trunkline keys --help` lists the commands of the group. */
function groupHelp(words: string[], out: (line: string) => void): number {
  const group = index.filter(({ name }) => name.startsWith(`${words[0]} `));
  const asked = words[1];
  if (group.length > 0 && (asked === undefined || asked === '--help' || asked === '-h')) {
    out(overview(group));
    return 0;
  }
  const [first = '', second = ''] = words;
  if (group.length > 0) {
    const seconds = group.map(({ name }) => name.slice(first.length + 1));
    const meant = didYouMean(second, seconds, (word) => `${first} ${word}`);
    throw new OperatorError(`There is no command '${first} ${second}'${meant || `; see trunkline ${first} --help.`}`);
  }
  const names = index.map(({ name }) => name);
  const firsts = [...new Set(names.flatMap((name) => name.split(' ', 1))), '--help', '--version'];
  const meant = didYouMean(`${first} ${second}`, names) || didYouMean(first, firsts);
  throw new OperatorError(`There is no command '${first}'${meant || '; see trunkline --help.'}`);
}

function overview(listed: readonly CommandSummary[]): string {
  return [
    'trunkline COMMAND [options]',
    '',
    ...columns(listed.map(({ name, summary }) => [name, summary])),
    '',
    'trunkline COMMAND --help shows the options of a command.',
  ].join('\n');
}

/** The reader of our output has closed the pipe, as `head` does; that is not an error. */
function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

function describe(error: unknown): string {
  return `Trunkline failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
