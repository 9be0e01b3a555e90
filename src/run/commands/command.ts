/**
 * Declares a command of the command line; argument parsing, help and completion follow from the declaration. By hand:
 * Node's `parseArgs` parses, and values are checked by the same fields as files.
 */
import { parseArgs } from 'node:util';
import { type Field, FieldError, oneOf } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { AuditAction } from '../../business/audit.ts';
import { table, terminalWidth, wrapped } from './output.ts';
import { didYouMean } from './suggest.ts';

export interface Option {
  type: 'string' | 'boolean';
  /** Placeholder of the value in the help text; `on|off` lists every value there is. */
  value?: string;
  /** May be given several times. */
  multiple?: true;
  summary: string;
}

export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K] extends { multiple: true }
    ? string[]
    : O[K]['type'] extends 'boolean'
      ? boolean
      : string;
};

export interface Input<O extends Options> {
  values: Values<O>;
  positionals: string[];
  /** Prints one line of result. */
  out: (line: string) => void;
  /** Prints rows, or one sentence if there are none; with `--json` a list of objects. */
  printTable: (headings: readonly string[], rows: readonly (readonly string[])[], none: string) => void;
}

export interface Declaration<O extends Options> {
  /** One word, or two for a group: `keys create`. */
  name: string;
  summary: string;
  /** The usage after the name, for example `ACCOUNT [options]`. */
  usage?: string;
  /** Names of the required arguments; `...` at the end of the last one allows more of it. */
  positionals?: readonly string[];
  options?: O;
  /** Text after the options in the help. */
  notes?: string;
  /** False for a command whose output is made for another program already; the others all take `--json`. */
  json?: false;
  run(input: Input<O>): Promise<void>;
}

/** What help and completion say of a command. */
export interface CommandSummary {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly string[];
  readonly options: Options;
}

export interface Command extends CommandSummary {
  /** The entry that it writes to the audit log, where the declaration alone says so. */
  readonly audits?: AuditAction;
  help(): string;
  execute(args: string[], out: (line: string) => void): Promise<void>;
}

export function defineCommand<const O extends Options>(given: Declaration<O>): Command {
  const isOwnJson = given.json === false || Object.hasOwn(given.options ?? {}, 'json');
  const declaration: Declaration<Options> = {
    ...given,
    options: { ...given.options, ...(isOwnJson ? {} : jsonOption) },
    run: (input) => given.run({ ...input, values: input.values as Values<O> }),
  };
  return {
    name: declaration.name,
    summary: declaration.summary,
    positionals: declaration.positionals ?? [],
    options: { ...declaration.options, ...helpOption },
    help: () => helpText(declaration),
    execute: async (args, out) => {
      if (args.some((arg) => arg === '--help' || arg === '-h')) return out(helpText(declaration));
      const { values, positionals } = parse(declaration, args);
      const { end, ...printed } = !isOwnJson && values.json ? jsonOutput(out) : textOutput(out);
      await declaration.run({ values, positionals, ...printed });
      end();
    },
  };
}

type Output = Pick<Input<Options>, 'out' | 'printTable'> & { end(): void };

const textOutput = (out: Output['out']): Output => ({
  out,
  printTable: (headings, rows, none) => {
    for (const line of table(headings, rows, none)) out(line);
  },
  end: () => undefined,
});

/** The rows of a table as objects; what a command says otherwise is `{"message": …}`, printed when it has succeeded. */
function jsonOutput(out: Output['out']): Output {
  const lines: string[] = [];
  let listed: object[] | null = null;
  return {
    out: (line) => lines.push(line),
    printTable: (headings, rows) => {
      const names = headings.map((heading) => heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'));
      const objects = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
      // What is printed as several tables is one list.
      listed = [...(listed ?? []), ...objects];
    },
    end: () => out(JSON.stringify(listed ?? { message: lines.join('\n') })),
  };
}

function parse<O extends Options>(declaration: Declaration<O>, args: string[]) {
  const options: Record<string, { type: 'string' | 'boolean'; multiple: boolean }> = {};
  for (const [name, { type, multiple = false }] of Object.entries<Option>(declaration.options ?? {})) {
    options[name] = { type, multiple };
  }
  const hint = `see trunkline ${declaration.name} --help`;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    checkPositionals(declaration.positionals ?? [], positionals, hint);
    return { values: values as Values<O>, positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [, unknown] = /^Unknown option '--?([^'=]+)/.exec(error.message) ?? [];
    const meant = unknown === undefined ? '' : didYouMean(unknown, Object.keys(options), (name) => `--${name}`);
    if (meant !== '') throw new OperatorError(`Unknown option '--${unknown}'${meant}`);
    // Keep only the first sentence of Node's message.
    throw new OperatorError(`${error.message.split(/\. |\n/)[0]?.replace(/\.$/, '')}; ${hint}.`);
  }
}

function checkPositionals(wanted: readonly string[], given: string[], hint: string): void {
  const missing = wanted[given.length];
  if (missing !== undefined) throw new OperatorError(`${missing.replace('...', '')} is missing; ${hint}.`);
  if (given.length > wanted.length && !wanted.at(-1)?.endsWith('...')) {
    throw new OperatorError(`Unexpected argument '${given[wanted.length]}'; ${hint}.`);
  }
}

const jsonOption = { json: { type: 'boolean', summary: 'print JSON' } } as const;
const helpOption = { help: { type: 'boolean', summary: 'show this text' } } as const;

function helpText<O extends Options>(declaration: Declaration<O>): string {
  const options = Object.entries<Option>({ ...declaration.options, ...helpOption }).map(
    ([name, { value, summary }]): [string, string] => [value ? `--${name} ${value}` : `--${name}`, summary],
  );
  const usage = declaration.usage ?? [...(declaration.positionals ?? []), '[options]'].join(' ');
  return [
    `trunkline ${declaration.name} ${usage}`,
    '',
    declaration.summary,
    '',
    ...columns(options),
    ...(declaration.notes === undefined ? [] : ['', declaration.notes]),
  ].join('\n');
}

/** Two columns, the second aligned; what does not fit into the terminal goes on below it. */
export function columns(rows: [string, string][], width = terminalWidth()): string[] {
  const left = Math.max(...rows.map(([name]) => name.length));
  const right = Math.max(width - left - 4, leastText);
  return rows.flatMap(([name, text]) =>
    wrapped(text, right).map((line, index) => `  ${(index === 0 ? name : '').padEnd(left)}  ${line}`),
  );
}

const leastText = 24;

/** Throws `--name must be …, not "…".` for an invalid value; returns undefined for a missing option. */
export function option<T>(name: string, given: string | undefined, field: Field<T>): T | undefined {
  return given === undefined ? undefined : argument(`--${name}`, given, field);
}

/** The same for an argument, with its name in the help text. */
export function argument<T>(name: string, given: string, field: Field<T>): T {
  try {
    return field(given);
  } catch (error) {
    throw error instanceof FieldError ? new OperatorError(`${name} ${error.detail}.`) : error;
  }
}

export function switches(option: string, text: string): Record<string, boolean> {
  return pairs(option, text, (value) => {
    if (value === 'on') return true;
    return value === 'off' ? false : undefined;
  });
}

export function numbers(option: string, text: string): Record<string, number> {
  return pairs(option, text, (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined));
}

export function onOrOff(name: string, text: string): boolean {
  return argument(name, text, oneOf('on', 'off')) === 'on';
}

function pairs<T>(option: string, text: string, read: (value: string) => T | undefined): Record<string, T> {
  const found: Record<string, T> = {};
  for (const pair of text.split(',')) {
    const [name = '', given = '', ...rest] = pair.trim().split('=');
    const value = read(given);
    if (name === '' || value === undefined || rest.length > 0) {
      throw new OperatorError(`--${option} cannot make sense of "${pair.trim()}".`);
    }
    found[name] = value;
  }
  return found;
}
