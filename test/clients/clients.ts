/** The clients that run the scenario: what each is, how it is run, and how it says its version. */
import path from 'node:path';

export interface Client {
  name: string;
  language: string;
  /** Where it comes from: the Debian package or the npm package. */
  from: string;
  /** The file of `programs/` that a reader looks at. */
  program: string;
  command: readonly string[];
  /** A command whose output holds the version, as the first thing that looks like one. */
  version: readonly string[];
}

/** Of a client among all; some of several languages have one name. */
export const idOf = ({ language, name }: Client): string => `${language}: ${name}`;

export const programs = path.join(import.meta.dirname, 'programs');

const node = process.execPath;
const versionInLock = (name: string) => [
  node,
  '-p',
  `JSON.parse(require('fs').readFileSync('../../../package-lock.json')).packages['node_modules/${name}'].version`,
];
const javascript = (name: string, from: string, version = versionInLock(name)): Client => ({
  name,
  language: 'JavaScript',
  from,
  program: `javascript/${name}.js`,
  command: [node, `javascript/${name}.js`],
  version,
});

const versionOfPackage = (name: string) => ['dpkg', '-s', name];

/** The one of the system, which the system's packages belong to. */
const python = '/usr/bin/python3';
const pythonClient = (name: string, from: string, program: string): Client => ({
  name,
  language: 'Python',
  from,
  program: `python/${program}.py`,
  command: [python, `python/${program}.py`],
  version: name === 'urllib' ? [python, '--version'] : [python, '-c', `import ${name}; print(${name}.__version__)`],
});

const rubyClient = (name: string, from: string, program: string, version: readonly string[]): Client => ({
  name,
  language: 'Ruby',
  from,
  program: `ruby/${program}.rb`,
  command: ['ruby', `ruby/${program}.rb`],
  version,
});

const phpClient = (name: string, from: string, program: string, version: readonly string[]): Client => ({
  name,
  language: 'PHP',
  from,
  program: `php/${program}.php`,
  command: ['php', `php/${program}.php`],
  version,
});

export const clients: readonly Client[] = [
  {
    name: 'curl',
    language: 'Shell',
    from: 'Debian curl',
    program: 'shell/curl.sh',
    command: ['bash', 'shell/curl.sh'],
    version: ['curl', '--version'],
  },
  javascript('fetch', 'Node', [node, '--version']),
  javascript('axios', 'npm axios'),
  javascript('got', 'npm got'),
  javascript('undici', 'npm undici'),
  pythonClient('urllib', 'Debian python3', 'urllib_client'),
  pythonClient('requests', 'Debian python3-requests', 'requests_client'),
  pythonClient('httpx', 'Debian python3-httpx', 'httpx_client'),
  rubyClient('Net::HTTP', 'Debian ruby', 'net_http', ['ruby', '--version']),
  rubyClient('Faraday', 'Debian ruby-faraday', 'faraday', ['ruby', '-rfaraday', '-e', 'puts Faraday::VERSION']),
  phpClient('curl', 'Debian php-curl', 'curl', ['php', '-r', 'echo curl_version()["version"];']),
  // Its code names its major version only.
  phpClient('Guzzle', 'Debian php-guzzlehttp-guzzle', 'guzzle', versionOfPackage('php-guzzlehttp-guzzle')),
  {
    name: 'LWP',
    language: 'Perl',
    from: 'Debian libwww-perl',
    program: 'perl/lwp.pl',
    command: ['perl', 'perl/lwp.pl'],
    version: ['perl', '-MLWP', '-e', 'print $LWP::VERSION'],
  },
  {
    name: 'net/http',
    language: 'Go',
    from: 'Debian golang-go',
    program: 'go/main.go',
    command: ['sh', '-c', 'GOCACHE="$BUILD/go" go run go/main.go'],
    version: ['go', 'version'],
  },
  {
    name: 'java.net.http',
    language: 'Java',
    from: 'Debian default-jdk-headless',
    program: 'java/Scenario.java',
    command: ['java', '-Dfile.encoding=UTF-8', 'java/Scenario.java'],
    version: ['java', '--version'],
  },
];

/** Clients that people use and this suite cannot have. */
export const missing: readonly { name: string; reason: string }[] = [
  { name: 'C#: HttpClient of .NET', reason: 'Neither Debian nor npm has the .NET SDK.' },
  {
    name: 'openapi-generator',
    reason:
      'The last package of npm with the generator in it is 4.3.1, which reads OpenAPI 3.0; the documents here are 3.1. Newer packages fetch it from elsewhere when they are run.',
  },
  {
    name: 'openapi-typescript',
    reason:
      'It stands on the compiler interface of TypeScript 5, which version 7 here does not have (dependencies.md).',
  },
];
