/** Every setting, read once: the flags of `trunkline serve` stand for the variables, and win over them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  parseAddressList,
  parseAdvertised,
  parseBindAddresses,
  parseCount,
  parseDatabaseUrl,
  parseDays,
  parseHeaderWord,
  parseHours,
  parseLargeCount,
  parseLines,
  parseLogLevel,
  parseMilliseconds,
  parseNetworks,
  parsePaths,
  parsePort,
  parsePublicUrl,
  parseRoles,
  parseServerKey,
  parseSmallCount,
  parseText,
} from './config/parse.ts';
import { parseClockMovers } from './config/reach.ts';
import type { Config, SipPorts } from './config/types.ts';
import { FieldError, wholeNumber } from './fields.ts';
import { OperatorError } from './operator-error.ts';

export interface Setting {
  readonly variable: string;
  /** A secret has none: command lines are visible to everyone on the machine. */
  readonly flag: string | null;
  readonly value: string;
  readonly fallback: string | null;
  readonly meaning: string;
}

const list = (...rows: [string, string | null, string, string | null, string][]): Setting[] =>
  rows.map(([variable, flag, value, fallback, meaning]) => ({ variable, flag, value, fallback, meaning }));

/** In the order of the help text and of docs/operations.md. */
export const settings: readonly Setting[] = list(
  ['TRUNKLINE_HOST', 'host', 'ADDRESS', '127.0.0.1', 'address to bind'],
  ['TRUNKLINE_PORT', 'port', 'PORT', '8080', 'production; 0 = any free port, off = not served'],
  ['TRUNKLINE_SANDBOX_PORT', 'sandbox-port', 'PORT', '8081', 'sandbox; same values'],
  ['TRUNKLINE_OPERATOR_PORT', 'operator-port', 'PORT', null, "a port of its own for production's /operator/v1"],
  ['TRUNKLINE_SANDBOX_OPERATOR_PORT', 'sandbox-operator-port', 'PORT', null, 'the same for the sandbox'],
  [
    'TRUNKLINE_SIP_PORT',
    'sip-port',
    'PORT',
    null,
    "production's SIP over UDP and TCP (5060); 0 = any free, off = none",
  ],
  ['TRUNKLINE_SANDBOX_SIP_PORT', 'sandbox-sip-port', 'PORT', null, 'the same for the sandbox (5070)'],
  ['TRUNKLINE_SIP_TLS_PORT', 'sip-tls-port', 'PORT', null, "production's SIP over TLS; needs certificate and key"],
  ['TRUNKLINE_SANDBOX_SIP_TLS_PORT', 'sandbox-sip-tls-port', 'PORT', null, 'the same for the sandbox'],
  ['TRUNKLINE_SIP_HOST', 'sip-host', 'LIST', null, 'addresses to bind for SIP, one of IPv4 and one of IPv6'],
  ['TRUNKLINE_SIP_ADVERTISED', 'sip-advertised', 'LIST', null, 'addresses that peers see in Via and Contact'],
  ['TRUNKLINE_SIP_CERTIFICATE', 'sip-certificate', 'FILE', null, 'certificate chain of SIP over TLS, PEM'],
  ['TRUNKLINE_SIP_KEY', 'sip-key', 'FILE', null, 'its private key, PEM'],
  ['TRUNKLINE_SIP_AUTHORITIES', 'sip-authorities', 'FILE', null, 'authorities of the certificates of SIP peers, PEM'],
  ['TRUNKLINE_SIP_CALLS_PER_SECOND', 'sip-calls-per-second', 'N', '500', 'most new calls per second; others get 503'],
  ['TRUNKLINE_SIP_CHECK_SECONDS', 'sip-check-seconds', 'N', '60', 'how often peers are asked with OPTIONS; 0 = never'],
  ['TRUNKLINE_SIP_EDGES', 'sip-edges', 'LIST', null, 'addresses of the Kamailio edges in front of this process'],
  ['TRUNKLINE_DATA', 'data', 'FOLDER', './data', 'embedded database, generated secrets'],
  ['DATABASE_URL', 'database-url', 'URL', null, "production's PostgreSQL instead of the embedded one"],
  ['SANDBOX_DATABASE_URL', 'sandbox-database-url', 'URL', null, "the sandbox's PostgreSQL instead of the embedded one"],
  ['TRUNKLINE_PUBLIC_URL', 'public-url', 'URL', null, 'base of the links in responses when a proxy stands in front'],
  ['TRUNKLINE_SANDBOX_PUBLIC_URL', 'sandbox-public-url', 'URL', null, 'the same for the sandbox'],
  ['TRUNKLINE_TRUSTED_PROXIES', 'trusted-proxies', 'LIST', null, 'addresses whose X-Forwarded-* headers count'],
  ['TRUNKLINE_BOOTSTRAP', 'bootstrap', 'FILE', null, 'JSON file of accounts to create'],
  ['TRUNKLINE_READY_FILE', 'ready-file', 'FILE', null, 'written once every port answers'],
  ['TRUNKLINE_ROLES', 'roles', 'LIST', 'api,worker,voice', 'what this process does'],
  [
    'TRUNKLINE_OUTBOUND_ALLOW',
    'outbound-allow',
    'LIST',
    null,
    'private networks that callbacks may reach, such as 10.1.0.0/16',
  ],
  [
    'TRUNKLINE_SANDBOX_CLOCK',
    'sandbox-clock',
    'WHO',
    null,
    'who may move the clock of the sandbox: any, operator, or accounts with commas',
  ],
  ['TRUNKLINE_HEADER_WORD', 'header-word', 'WORD', 'Service', 'the word in X-<word>-Signature and other headers sent'],
  ['TRUNKLINE_TRACE_HOURS', 'trace-hours', 'N', '72', 'how long SIP messages and refusals of calls are kept; 0 = not'],
  ['TRUNKLINE_SELLER', 'seller', 'TEXT', null, 'who sells, on statements and invoices; | separates lines'],
  ['TRUNKLINE_SERVER_KEY', null, 'KEY', null, '32 bytes in base64 that protect secrets; generated when unset'],
  ['TRUNKLINE_CERTIFICATES', 'certificates', 'LIST', null, 'PEM files with commas; /metrics shows when they end'],
  ['TRUNKLINE_LOG_LEVEL', 'log-level', 'LEVEL', 'info', 'trace, debug, info, warn, error, fatal or silent'],
  ['TRUNKLINE_DATABASE_CONNECTIONS', 'database-connections', 'N', '20', 'most connections to each database'],
  ['TRUNKLINE_ACCOUNT_CONNECTIONS', 'account-connections', 'N', null, 'how many of them one account may use at a time'],
  ['TRUNKLINE_HEADERS_TIMEOUT', 'headers-timeout', 'MS', '10000', 'how long the headers of a request may take'],
  ['TRUNKLINE_BODY_TIMEOUT', 'body-timeout', 'MS', '30000', 'how long the body of a request may take'],
  ['TRUNKLINE_REQUEST_TIMEOUT', 'request-timeout', 'MS', '60000', 'how long a whole request may take to arrive'],
  [
    'TRUNKLINE_CONNECTIONS_PER_ADDRESS',
    'connections-per-address',
    'N',
    '256',
    'most connections from one address, except loopback and trusted proxies',
  ],
  [
    'TRUNKLINE_DATABASE_WAIT',
    'database-wait',
    'MS',
    '1800',
    'how long a request waits for connections before it is 503',
  ],
  ['TRUNKLINE_PLATFORM_REQUESTS', 'platform-requests', 'N', '500', 'most requests to /v3 at a time; others are 503'],
  ['TRUNKLINE_ACCOUNT_REQUESTS', 'account-requests', 'N', null, 'how many of them one account may have (two in five)'],
  [
    'TRUNKLINE_VERIFICATION_REQUESTS',
    'verification-requests',
    'N',
    '500',
    'most requests to /api/v1 at a time; others are 503',
  ],
  ['TRUNKLINE_WORLDS', 'worlds', 'N', '64', 'most worlds of the sandbox at a time; 0 = none'],
  ['TRUNKLINE_WORLD_IDLE', 'world-idle', 'S', '3600', 'after how many seconds without a request a world ends'],
  ['TRUNKLINE_WORLDS_READY', 'worlds-ready', 'N', '2', 'how many clones are kept ready once worlds are made'],
  ['TRUNKLINE_WORLDS_DISK', 'worlds-disk', 'MIB', '8192', 'the most that the databases of all worlds may take'],
  [
    'TRUNKLINE_REQUEST_LOG_DAYS',
    'request-log-days',
    'N',
    '7',
    'how long requests are kept for operators; 0 = not at all',
  ],
);

export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export function readConfig(variables: NodeJS.ProcessEnv, flags: Flags = {}): Config {
  /** An empty variable counts as unset, as compose files leave them. */
  function read<T>(variable: string, parse: (text: string) => T): T | null {
    const setting = settings.find((candidate) => candidate.variable === variable);
    if (setting === undefined) throw new Error(`${variable} is not in the table of settings`);
    const flag = setting.flag === null ? undefined : flags[setting.flag];
    const text = typeof flag === 'string' ? flag : textOf(variables, variable) || setting.fallback;
    if (text === null) return null;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw new OperatorError(`${typeof flag === 'string' ? `--${setting.flag}` : variable} ${error.detail}.`);
    }
  }
  /** For settings with a default. */
  function need<T>(variable: string, parse: (text: string) => T): T {
    const value = read(variable, parse);
    if (value === null) throw new Error(`${variable} has no default`);
    return value;
  }
  const operatorPort = (variable: string) => {
    const port = read(variable, parsePort);
    return port === null ? 'shared' : port.number;
  };
  /** Unset, SIP follows the HTTP port: off where that is off, any free port where that is any free port. */
  const sipPorts = (prefix: string, httpPort: number | null, usual: number): SipPorts | null => {
    const chosen = read(`${prefix}_SIP_PORT`, parsePort);
    const port = chosen === null ? (httpPort === 0 ? 0 : usual) : chosen.number;
    const tlsPort = read(`${prefix}_SIP_TLS_PORT`, parsePort)?.number ?? null;
    return httpPort === null || port === null ? null : { port, isChosen: chosen !== null, tlsPort };
  };
  const filePath = (text: string) => path.resolve(parseText(text));
  const platformRequests = need('TRUNKLINE_PLATFORM_REQUESTS', parseLargeCount);
  const host = need('TRUNKLINE_HOST', parseText);
  const ports = {
    production: need('TRUNKLINE_PORT', parsePort).number,
    sandbox: need('TRUNKLINE_SANDBOX_PORT', parsePort).number,
  };
  const config: Config = {
    host,
    roles: need('TRUNKLINE_ROLES', parseRoles),
    dataDirectory: need('TRUNKLINE_DATA', filePath),
    trustedProxies: read('TRUNKLINE_TRUSTED_PROXIES', parseAddressList) ?? [],
    bootstrapFile: read('TRUNKLINE_BOOTSTRAP', filePath),
    seller: read('TRUNKLINE_SELLER', parseLines) ?? [],
    readyFile: read('TRUNKLINE_READY_FILE', filePath),
    outboundAllow: read('TRUNKLINE_OUTBOUND_ALLOW', parseNetworks) ?? [],
    headerWord: need('TRUNKLINE_HEADER_WORD', parseHeaderWord),
    traceHours: need('TRUNKLINE_TRACE_HOURS', parseHours),
    serverKey: read('TRUNKLINE_SERVER_KEY', parseServerKey),
    sandboxClock: read('TRUNKLINE_SANDBOX_CLOCK', parseClockMovers),
    certificates: read('TRUNKLINE_CERTIFICATES', parsePaths) ?? [],
    logLevel: need('TRUNKLINE_LOG_LEVEL', parseLogLevel),
    databaseConnections: need('TRUNKLINE_DATABASE_CONNECTIONS', parseCount),
    accountConnections: read('TRUNKLINE_ACCOUNT_CONNECTIONS', parseSmallCount),
    requestLimits: {
      headersMs: need('TRUNKLINE_HEADERS_TIMEOUT', parseMilliseconds),
      bodyMs: need('TRUNKLINE_BODY_TIMEOUT', parseMilliseconds),
      requestMs: need('TRUNKLINE_REQUEST_TIMEOUT', parseMilliseconds),
      connectionsPerAddress: need('TRUNKLINE_CONNECTIONS_PER_ADDRESS', parseLargeCount),
    },
    databaseWaitMs: need('TRUNKLINE_DATABASE_WAIT', parseMilliseconds),
    requestsInFlight: {
      platform: platformRequests,
      perAccount: read('TRUNKLINE_ACCOUNT_REQUESTS', parseLargeCount) ?? Math.ceil(platformRequests * 0.4),
      verification: need('TRUNKLINE_VERIFICATION_REQUESTS', parseLargeCount),
    },
    requestLogDays: need('TRUNKLINE_REQUEST_LOG_DAYS', parseDays),
    worlds: {
      most: need('TRUNKLINE_WORLDS', wholeNumber(0, 1000)),
      idleMs: need('TRUNKLINE_WORLD_IDLE', wholeNumber(1, 31_536_000)) * 1000,
      ready: need('TRUNKLINE_WORLDS_READY', wholeNumber(0, 50)),
      mostBytes: need('TRUNKLINE_WORLDS_DISK', wholeNumber(1, 100_000_000)) * 2 ** 20,
    },
    sipCheckSeconds: need('TRUNKLINE_SIP_CHECK_SECONDS', wholeNumber(0, 86_400)),
    sip: {
      hosts: read('TRUNKLINE_SIP_HOST', parseBindAddresses) ?? [host],
      advertised: read('TRUNKLINE_SIP_ADVERTISED', parseAdvertised) ?? [],
      certificateFile: read('TRUNKLINE_SIP_CERTIFICATE', filePath),
      keyFile: read('TRUNKLINE_SIP_KEY', filePath),
      authoritiesFile: read('TRUNKLINE_SIP_AUTHORITIES', filePath),
      callsPerSecond: need('TRUNKLINE_SIP_CALLS_PER_SECOND', parseLargeCount),
      edges: read('TRUNKLINE_SIP_EDGES', parseNetworks) ?? [],
    },
    environments: {
      production: {
        port: ports.production,
        sip: sipPorts('TRUNKLINE', ports.production, 5060),
        operatorPort: operatorPort('TRUNKLINE_OPERATOR_PORT'),
        databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
        publicUrl: read('TRUNKLINE_PUBLIC_URL', parsePublicUrl),
      },
      sandbox: {
        port: ports.sandbox,
        sip: sipPorts('TRUNKLINE_SANDBOX', ports.sandbox, 5070),
        operatorPort: operatorPort('TRUNKLINE_SANDBOX_OPERATOR_PORT'),
        databaseUrl: read('SANDBOX_DATABASE_URL', parseDatabaseUrl),
        publicUrl: read('TRUNKLINE_SANDBOX_PUBLIC_URL', parsePublicUrl),
      },
    },
  };
  refuseOneDatabaseForBoth(config);
  refuseOnePortForBoth(config);
  refuseShareOverWhole(config);
  refuseSipContradictions(config);
  return config;
}

/** The variable's value, or the content of the file that `<variable>_FILE` names: so secrets of containers and services arrive. */
function textOf(variables: NodeJS.ProcessEnv, variable: string): string {
  const value = variables[variable]?.trim() ?? '';
  const file = variables[`${variable}_FILE`]?.trim() ?? '';
  if (file === '') return value;
  if (value !== '') throw new OperatorError(`${variable} and ${variable}_FILE are both set; leave one of them out.`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new OperatorError(`${variable}_FILE names ${file}, which cannot be read (${code}).`);
  }
}

/** The environments share no row. */
function refuseOneDatabaseForBoth({ environments: { production, sandbox } }: Config): void {
  if (production.databaseUrl === null || sandbox.databaseUrl === null) return;
  const [one, other] = [new URL(production.databaseUrl), new URL(sandbox.databaseUrl)];
  const place = (url: URL) => [url.hostname, url.port || '5432', url.pathname, url.searchParams.get('host')].join(' ');
  if (place(one) === place(other)) {
    throw new OperatorError('DATABASE_URL and SANDBOX_DATABASE_URL must name two different databases.');
  }
}

/** Checked before anything is created; otherwise the second server would find the port taken by the first. */
function refuseOnePortForBoth({ environments: { production, sandbox } }: Config): void {
  const ports = [
    ['TRUNKLINE_PORT', production.port],
    ['TRUNKLINE_SANDBOX_PORT', sandbox.port],
    ['TRUNKLINE_OPERATOR_PORT', production.operatorPort],
    ['TRUNKLINE_SANDBOX_OPERATOR_PORT', sandbox.operatorPort],
  ] as const;
  for (const [index, [name, port]] of ports.entries()) {
    const [other] = ports.slice(0, index).find(([, before]) => before === port) ?? [];
    if (other !== undefined && typeof port === 'number' && port !== 0) {
      throw new OperatorError(`${other} and ${name} must be two different ports.`);
    }
  }
}

function refuseShareOverWhole({ requestsInFlight: { perAccount, platform } }: Config): void {
  if (perAccount > platform) {
    throw new OperatorError('TRUNKLINE_ACCOUNT_REQUESTS must not be more than TRUNKLINE_PLATFORM_REQUESTS.');
  }
}

function refuseSipContradictions({ sip, environments: { production, sandbox } }: Config): void {
  const ports = [production.sip, sandbox.sip].flatMap((one) => (one ? [one.port, one.tlsPort] : []));
  const named = ports.filter((port) => port !== null && port !== 0);
  if (new Set(named).size < named.length) throw new OperatorError('The SIP ports must all be different.');
  const hasTls = [production.sip, sandbox.sip].some((one) => one !== null && one.tlsPort !== null);
  if (hasTls && (sip.certificateFile === null || sip.keyFile === null)) {
    throw new OperatorError('A SIP port for TLS needs TRUNKLINE_SIP_CERTIFICATE and TRUNKLINE_SIP_KEY.');
  }
}
