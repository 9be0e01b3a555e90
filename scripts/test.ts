/**
 * `npm test`: the system's tools, types, style, and all tests. Everything runs; the end says what failed. A runner that
 * does not start and a project in which no test ran are failures like any other.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** Programs that tests drive, and the Debian packages they are in. */
const tools = [
  { programs: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  { programs: ['sipp'], package: 'sip-tester' },
  // The edge in front of several workers, and the media it carries.
  { programs: ['kamailio'], package: 'kamailio' },
  { programs: ['rtpengine'], package: 'rtpengine-daemon' },
  // Phones that register and are called.
  { programs: ['baresip'], package: 'baresip-core' },
  { programs: ['linphonec'], package: 'linphone-cli' },
  // A scanner, as an attacker.
  { programs: ['svmap'], package: 'sipvicious' },
  // Reads the packet captures of calls.
  { programs: ['tshark'], package: 'tshark' },
  // Renders the clips of spoken codes.
  { programs: ['espeak-ng'], package: 'espeak-ng' },
  // The languages of the programs in docs/guides.
  { programs: ['python3'], package: 'python3' },
  // Runs the tests of the pytest fixtures.
  { programs: ['pytest-3'], package: 'python3-pytest' },
  { programs: ['java'], package: 'default-jdk-headless' },
  { programs: ['perl'], package: 'perl' },
  { programs: ['openssl'], package: 'openssl' },
  // The restore drill, with a server of the version of its programs.
  { programs: ['pg_dump'], package: 'postgresql' },
  // Stands between a server and its database.
  { programs: ['pgbouncer'], package: 'pgbouncer' },
  // The reverse proxy of docs/deploy.md.
  { programs: ['nginx'], package: 'nginx-light' },
  // Checks the units of deploy/systemd.
  { programs: ['systemd-analyze'], package: 'systemd' },
  // Checks metrics, alerts and their tests.
  { programs: ['promtool'], package: 'prometheus' },
  // Shells that complete commands.
  { programs: ['zsh'], package: 'zsh' },
  { programs: ['fish'], package: 'fish' },
];

const projects = ['fast', 'long', 'whole', 'alone'];

interface Step {
  name: string;
  command: string[];
  /** Of the test runner: what was wrong with the run although it may have ended with 0. */
  fault?: () => string | null;
}

const steps: Step[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the panel', command: ['tsc', '--noEmit', '-p', 'web'] },
  { name: 'style', command: ['biome', 'check', '.'] },
  ...projects.map((project) => ({
    name: `${project} tests`,
    command: vitest(project),
    fault: () => faultOf(readReport(reportFile(project))),
  })),
];

process.exitCode = main();

/** The people's report on the screen, and one to count from. */
function vitest(project: string): string[] {
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile(project)}`];
  return ['vitest', 'run', '--project', project, ...report];
}

function reportFile(project: string): string {
  return path.join(root, `node_modules/.cache/trunkline/${project}-tests.json`);
}

function main(): number {
  if (!provideTools()) return 1;
  for (const project of projects) rmSync(reportFile(project), { force: true });
  const failed: string[] = [];
  for (const { name, command, fault } of steps) {
    const [program = '', ...args] = command;
    process.stdout.write(`\n== ${name}\n`);
    const passed = run(path.join(root, 'node_modules/.bin', program), args);
    const found = fault?.() ?? null;
    if (!passed || found !== null) failed.push(found === null ? name : `${name} (${found})`);
  }
  process.stdout.write(`\n${tally()}\n`);
  const took = `${Math.round(performance.now() / 1000)} s`;
  process.stdout.write(
    failed.length > 0 ? `\nFailed after ${took}: ${failed.join(', ')}.\n` : `\nAll passed in ${took}.\n`,
  );
  return failed.length > 0 ? 1 : 0;
}

/** As root on a Debian system what is missing is installed; elsewhere the person is told. */
function provideTools(): boolean {
  const missing = missingPackages();
  if (missing.length === 0) return true;
  if (process.getuid?.() === 0 && find('apt-get')) {
    process.stdout.write(`== installing ${missing.join(', ')}\n`);
    run('apt-get', ['update', '-q']);
    run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...missing]);
  }
  const left = missingPackages();
  if (left.length > 0)
    process.stderr.write(`The tests need ${left.join(' and ')}; install ${left.length > 1 ? 'them' : 'it'} first.\n`);
  return left.length === 0;
}

function faultOf(report: Report | null): string | null {
  if (report === null) return 'the test runner did not start, or ended without a report';
  return report.numPassedTests + report.numFailedTests === 0 ? 'no test ran' : null;
}

/** How many passed, and what failed by name and reason: the last lines are often all that is kept of a run. */
function tally(): string {
  const reports = projects.map((project) => readReport(reportFile(project)));
  const sum = (member: 'numPassedTests' | 'numFailedTests') =>
    reports.reduce((total, report) => total + (report?.[member] ?? 0), 0);
  const failures = reports.flatMap((report) => report?.testResults.flatMap(failuresOf) ?? []);
  return [`Tests: ${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed`, ...failures].join('\n');
}

function failuresOf({ name, message, status, assertionResults }: FileReport): string[] {
  const file = path.relative(root, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const lines = failed.map((test) => `  ${file}: ${test.fullName}\n    ${firstLine(test.failureMessages.join('\n'))}`);
  return status === 'failed' && message ? [...lines, `  ${file}\n    ${firstLine(message)}`] : lines;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: FileReport[];
}

interface FileReport {
  name: string;
  status: string;
  /** What broke outside a test: an import, a hook. */
  message?: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
}

/** Null when a run ended before it could write one. */
function readReport(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function missingPackages(): string[] {
  return tools.filter(({ programs }) => !programs.some(find)).map((tool) => tool.package);
}

function find(program: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function run(program: string, args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { error, status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env });
  if (error !== undefined) process.stderr.write(`${program} cannot be run: ${error.message}\n`);
  return status === 0;
}
