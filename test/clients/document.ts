/** docs/compatibility.md: what the tests of this folder hold, as pages for people who write clients. */
import { type Client, clients, idOf, missing } from './clients.ts';
import { platformSteps, type Step, verificationSteps } from './scenario.ts';
import { bodyHabits } from './wire/body-habits.ts';
import type { Habit } from './wire/habit.ts';
import { headHabits } from './wire/head-habits.ts';

/** By the client's id. */
export type Versions = ReadonlyMap<string, string>;

export function writeDocument(versions: Versions): string {
  return `# Compatibility

Written by \`npm run compatibility\` from \`test/clients\`, which runs all of this against a running server. A program that
fails fails the tests, so what stands here has happened.

## Clients

One scenario, in small programs written the way each client's users write them. Every one of them does every step.

${table(
  ['Client', 'Version', 'From', 'Program'],
  clients.map((client) => rowOf(client, versions)),
)}

Versions are those of the machine that wrote this page; packages of npm are held in \`package-lock.json\`.

Not run, and why:

${table(
  ['Client', 'Reason'],
  missing.map(({ name, reason }) => [name, reason]),
)}

### What each of them does with /v3

${steps(platformSteps)}

### What each of them does with /api/v1

${steps(verificationSteps)}

## Habits on the wire

Sent as bytes, with nothing in between that would tidy them up.

${table(['What is sent', '`/v3`', '`/api/v1`'], [...headHabits, ...bodyHabits].map(habitRow))}
`;
}

function rowOf(client: Client, versions: Versions): string[] {
  const { language, name, from, program } = client;
  const file = `[${program}](../test/clients/programs/${program})`;
  return [`${language}: ${name}`, versions.get(idOf(client)) ?? '', from, file];
}

const habitRow = ({ name, words }: Habit): string[] => [name, words.platform, words.verification];

const steps = (list: readonly Step[]): string =>
  list.map(({ words }, index) => `${index + 1}. ${words[0]?.toUpperCase()}${words.slice(1)}`).join('\n');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
