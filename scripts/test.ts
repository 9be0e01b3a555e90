/**
 * `npm test`: the system's tools, types, style, and all tests. Everything runs; the end says what failed. A runner that
 * does not start and a project in which no test ran are failures like any other.
 */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

interface Tool {
  package: string;
  /** One of these is enough. */
  programs?: string[];
  /** For a library: a command that ends well where it is installed. */
  probe?: string[];
}

/** Programs that tests drive, and the Debian packages they are in. */
const tools: Tool[] = [
  { programs: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  { programs: ['sipp'], package: 'sip-tester' },
  // The edge in front of several workers, and the media it carries.
  { programs: ['kamailio'], package: 'kamailio' },
  { programs: ['rtpengine'], package: 'rtpengine-daemon' },
  // Phones that register and are called.
  { programs: ['baresip'], package: 'baresip-core' },
  { programs: ['linphonec'], package: 'linphone-cli' },
  // A network behind a NAT, for phones there.
  { programs: ['ip'], package: 'iproute2' },
  { programs: ['nft'], package: 'nftables' },
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
  // The clients of docs/compatibility.md.
  { probe: pythonHas('requests'), package: 'python3-requests' },
  { probe: pythonHas('httpx'), package: 'python3-httpx' },
  { probe: ['ruby', '-e', 'gem "faraday"'], package: 'ruby-faraday' },
  { programs: ['php'], package: 'php-cli' },
  { probe: ['php', '-r', 'exit((int) !extension_loaded("curl"));'], package: 'php-curl' },
  {
    probe: ['php', '-r', 'exit((int) !stream_resolve_include_path("GuzzleHttp/autoload.php"));'],
    package: 'php-guzzlehttp-guzzle',
  },
  { programs: ['curl'], package: 'curl' },
  // 440 MB, but nothing smaller has the Go that people build with.
  { programs: ['go'], package: 'golang-go' },
  { probe: ['perl', '-MLWP', '-e', '0'], package: 'libwww-perl' },
  { programs: ['mcs'], package: 'mono-mcs' },
  { programs: ['mono'], package: 'mono-runtime' },
  { probe: monoHas('System.Net.Http'), package: 'libmono-system-net-http4.0-cil' },
  { probe: monoHas('System.Web.Extensions'), package: 'libmono-system-web-extensions4.0-cil' },
];

/** How a test file's path says which project it belongs to; vitest.config.ts has the same. */
const projects: Record<string, (file: string) => boolean> = {
  fast: (file) => file.startsWith('src/') && !file.endsWith('.long.test.ts'),
  long: (file) => file.startsWith('src/') && file.endsWith('.long.test.ts'),
  whole: (file) => file.startsWith('test/') && !file.endsWith('.alone.test.ts'),
  alone: (file) => file.startsWith('test/') && file.endsWith('.alone.test.ts'),
};

/** What is read, not run: side by side, since each of them works on one core most of the time. */
const checks: { name: string; command: [string, ...string[]] }[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the panel', command: ['tsc', '--noEmit', '-p', 'web'] },
  { name: 'style', command: ['biome', 'check', '.'] },
];

const reportFile = path.join(root, 'node_modules/.cache/trunkline/tests.json');

/**
 * All projects in one run: they share a database server, and one begins while the last files of another still run. The
 * people's report on the screen, and one to count from.
 */
const testRunner = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];

function monoHas(library: string): string[] {
  return ['test', '-e', `/usr/lib/mono/4.5/${library}.dll`];
}

/** Looks for a module without loading it. */
function pythonHas(module: string): string[] {
  const search = 'import sys, importlib.util as util; sys.exit(not util.find_spec(sys.argv[1]))';
  return ['/usr/bin/python3', '-c', search, module];
}

process.exitCode = await main();

async function main(): Promise<number> {
  if (!provideTools()) return 1;
  rmSync(reportFile, { force: true });
  const passed = await Promise.all(checks.map(({ name, command }) => check(name, ...command)));
  const failed = checks.filter((_, index) => !passed[index]).map(({ name }) => name);
  process.stdout.write('\n== tests\n');
  const allPassed = run(programOf('vitest'), testRunner);
  const report = readReport();
  const faults = faultsOf(report);
  failed.push(...faults);
  if (!allPassed && faults.length === 0) failed.push('tests');
  process.stdout.write(`\n${tally(report)}\n`);
  const took = `${Math.round(performance.now() / 1000)} s`;
  process.stdout.write(
    failed.length > 0 ? `\nFailed after ${took}: ${failed.join(', ')}.\n` : `\nAll passed in ${took}.\n`,
  );
  return failed.length > 0 ? 1 : 0;
}

/** What it prints appears when it has ended, so that the outputs of several do not mix. */
function check(name: string, program: string, ...args: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(programOf(program), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const end = (passed: boolean) => {
      process.stdout.write(`\n== ${name}\n${output}`);
      resolve(passed);
    };
    child.once('close', (code) => end(code === 0));
    child.once('error', (error) => {
      output += `${program} cannot be run: ${error.message}\n`;
    });
  });
}

function programOf(name: string): string {
  return path.join(root, 'node_modules/.bin', name);
}

/** As root on a Debian system what is missing is installed; elsewhere the person is told. */
function provideTools(): boolean {
  const missing = missingPackages();
  if (missing.length === 0) return true;
  if (process.getuid?.() === 0 && find('apt-get')) {
    process.stdout.write(`== installing ${missing.join(', ')}\n`);
    run('apt-get', ['update', '-q']);
    // Waiting for the disk after every file takes most of the time; after a power cut they are installed again.
    const unsafe = ['-o', 'Dpkg::Options::=--force-unsafe-io'];
    run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...unsafe, ...missing]);
  }
  const left = missingPackages();
  if (left.length > 0)
    process.stderr.write(`The tests need ${left.join(' and ')}; install ${left.length > 1 ? 'them' : 'it'} first.\n`);
  return left.length === 0;
}

/** What was wrong with the run although the runner may have ended with 0. */
function faultsOf(report: Report | null): string[] {
  if (report === null) return ['tests (the test runner did not start, or ended without a report)'];
  const ran = report.testResults.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'passed' || status === 'failed'),
  );
  return Object.entries(projects)
    .filter(([, owns]) => !ran.some(({ name }) => owns(path.relative(root, name))))
    .map(([project]) => `${project} tests (no test ran)`);
}

/** How many passed, and what failed by name and reason: the last lines are often all that is kept of a run. */
function tally(report: Report | null): string {
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = report ?? {};
  const count = `Tests: ${numPassedTests} passed, ${numFailedTests} failed`;
  return [count, ...testResults.flatMap(failuresOf)].join('\n');
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
function readReport(): Report | null {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return null;
  }
}

function missingPackages(): string[] {
  return tools.filter((tool) => !isThere(tool)).map((tool) => tool.package);
}

function isThere({ programs, probe: [program = '', ...args] = [] }: Tool): boolean {
  if (programs !== undefined) return programs.some(find);
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
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
