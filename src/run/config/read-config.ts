/** Every setting, read once: the flags of `trunkline serve` stand for the variables, and win over them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FieldError, wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { SipPorts } from '../../business/b2bua/sip-settings.ts';
import { nameService, parseAgents, parseDigest, parseIdentityAuthorities, parseNameUrl } from './call-settings.ts';
import { refuseOneDatabaseForBoth, refuseWithoutPrimary } from './database-contradictions.ts';
import { parseDatabaseUrl, parseReplicaUrls } from './database-url.ts';
import { mediaPorts, parseMedia, parseMediaPorts, refuseMediaContradictions } from './media-settings.ts';
import {
  parseAddressList,
  parseAdvertised,
  parseBindAddresses,
  parseBucketUrl,
  parseCount,
  parseDays,
  parseHeaderWord,
  parseHours,
  parseLargeCount,
  parseLines,
  parseLogLevel,
  parseMailAddress,
  parseMilliseconds,
  parseNetworks,
  parseOrigins,
  parsePaths,
  parsePort,
  parsePublicUrl,
  parseReserveSeconds,
  parseRoles,
  parseServerKey,
  parseShare,
  parseSmallCount,
  parseSmtpUrl,
  parseText,
} from './parse.ts';
import { parseClockMovers } from './reach.ts';
import { parseCountry, parseCurrency, parseVatId, seller } from './seller.ts';
import { settings } from './settings.ts';
import type { Config } from './types.ts';

type Flags = Readonly<Record<string, string | boolean | undefined>>;

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
  const sip = {
    production: sipPorts('TRUNKLINE', ports.production, 5060),
    sandbox: sipPorts('TRUNKLINE_SANDBOX', ports.sandbox, 5070),
  };
  const config: Config = {
    host,
    roles: need('TRUNKLINE_ROLES', parseRoles),
    dataDirectory: need('TRUNKLINE_DATA', filePath),
    trustedProxies: read('TRUNKLINE_TRUSTED_PROXIES', parseAddressList) ?? [],
    bootstrapFile: read('TRUNKLINE_BOOTSTRAP', filePath),
    seller: seller(
      read('TRUNKLINE_SELLER', parseLines),
      read('TRUNKLINE_SELLER_COUNTRY', parseCountry),
      read('TRUNKLINE_SELLER_VAT_ID', parseVatId),
    ),
    currency: need('TRUNKLINE_CURRENCY', parseCurrency),
    invoiceDay: need('TRUNKLINE_INVOICE_DAY', wholeNumber(0, 28)),
    smtp: smtpConfig(
      read('TRUNKLINE_SMTP_URL', parseSmtpUrl),
      read('TRUNKLINE_SMTP_PASSWORD', parseText),
      read('TRUNKLINE_SMTP_FROM', parseMailAddress),
    ),
    s3: s3Config(
      read('TRUNKLINE_S3_URL', parseBucketUrl),
      need('TRUNKLINE_S3_REGION', parseText),
      read('TRUNKLINE_S3_ACCESS_KEY', parseText),
      read('TRUNKLINE_S3_SECRET_KEY', parseText),
    ),
    readyFile: read('TRUNKLINE_READY_FILE', filePath),
    outboundAllow: read('TRUNKLINE_OUTBOUND_ALLOW', parseNetworks) ?? [],
    headerWord: need('TRUNKLINE_HEADER_WORD', parseHeaderWord),
    sandboxOrderSeconds: need('TRUNKLINE_SANDBOX_ORDER_SECONDS', wholeNumber(0, 2_592_000)),
    sandboxSeeds: {
      records: read('TRUNKLINE_SANDBOX_SEED_RECORDS', wholeNumber(0, 1_000_000_000)),
      accounts: read('TRUNKLINE_SANDBOX_SEED_ACCOUNTS', wholeNumber(0, 1_000_000_000)),
    },
    traceHours: need('TRUNKLINE_TRACE_HOURS', parseHours),
    calls: {
      reserveSeconds: need('TRUNKLINE_CALL_RESERVE_SECONDS', parseReserveSeconds),
      twilioNetworks: need('TRUNKLINE_TWILIO_NETWORKS', parseNetworks),
      digest: need('TRUNKLINE_SIP_DIGEST', parseDigest),
      md5Agents: need('TRUNKLINE_SIP_MD5_AGENTS', parseAgents),
      names: nameService(
        read('TRUNKLINE_CNAM_URL', parseNameUrl),
        read('TRUNKLINE_CNAM_TOKEN', parseText),
        need('TRUNKLINE_CNAM_MEMBER', parseText),
        need('TRUNKLINE_CNAM_TIMEOUT', parseMilliseconds),
      ),
      identityAuthorities: read('TRUNKLINE_STIR_AUTHORITIES', parseIdentityAuthorities) ?? [],
    },
    fileKeyBits: need('TRUNKLINE_FILE_KEY_BITS', wholeNumber(2048, 8192)),
    serverKey: read('TRUNKLINE_SERVER_KEY', parseServerKey),
    sandboxClock: read('TRUNKLINE_SANDBOX_CLOCK', parseClockMovers),
    traces: { url: read('TRUNKLINE_TRACES', parsePublicUrl), share: need('TRUNKLINE_TRACES_SHARE', parseShare) },
    metricsNetworks: read('TRUNKLINE_METRICS_NETWORKS', parseNetworks) ?? [],
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
    replicaLagSeconds: need('TRUNKLINE_REPLICA_LAG', wholeNumber(1, 300)),
    databaseWaitMs: need('TRUNKLINE_DATABASE_WAIT', parseMilliseconds),
    requestsInFlight: {
      platform: platformRequests,
      perAccount: read('TRUNKLINE_ACCOUNT_REQUESTS', parseLargeCount) ?? Math.ceil(platformRequests * 0.4),
      verification: need('TRUNKLINE_VERIFICATION_REQUESTS', parseLargeCount),
    },
    requestLogDays: need('TRUNKLINE_REQUEST_LOG_DAYS', parseDays),
    worlds: {
      most: need('TRUNKLINE_WORLDS', wholeNumber(0, 1000)),
      mostSip: need('TRUNKLINE_WORLDS_SIP', wholeNumber(0, 1000)),
      idleMs: need('TRUNKLINE_WORLD_IDLE', wholeNumber(1, 31_536_000)) * 1000,
      ready: need('TRUNKLINE_WORLDS_READY', wholeNumber(0, 50)),
      mostBytes: need('TRUNKLINE_WORLDS_DISK', wholeNumber(1, 100_000_000)) * 2 ** 20,
    },
    sipCheckSeconds: need('TRUNKLINE_SIP_CHECK_SECONDS', wholeNumber(0, 86_400)),
    drainSeconds: need('TRUNKLINE_DRAIN_SECONDS', wholeNumber(0, 86_400)),
    sipOrigins: read('TRUNKLINE_SIP_ORIGINS', parseOrigins) ?? [],
    sip: {
      hosts: read('TRUNKLINE_SIP_HOST', parseBindAddresses) ?? [host],
      advertised: read('TRUNKLINE_SIP_ADVERTISED', parseAdvertised) ?? [],
      certificateFile: read('TRUNKLINE_SIP_CERTIFICATE', filePath),
      keyFile: read('TRUNKLINE_SIP_KEY', filePath),
      authoritiesFile: read('TRUNKLINE_SIP_AUTHORITIES', filePath),
      callsPerSecond: need('TRUNKLINE_SIP_CALLS_PER_SECOND', parseLargeCount),
      edges: read('TRUNKLINE_SIP_EDGES', parseNetworks) ?? [],
    },
    media: {
      ...need('TRUNKLINE_MEDIA', parseMedia),
      ...mediaPorts(read('TRUNKLINE_MEDIA_PORTS', parseMediaPorts), Object.values(sip)),
      advertised: read('TRUNKLINE_MEDIA_ADVERTISED', parseAdvertised) ?? [],
      mostTranscoded: need('TRUNKLINE_MEDIA_TRANSCODING', wholeNumber(0, 100_000)),
    },
    environments: {
      production: {
        port: ports.production,
        sip: sip.production,
        operatorPort: operatorPort('TRUNKLINE_OPERATOR_PORT'),
        databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
        databaseDirectUrl: read('DATABASE_DIRECT_URL', parseDatabaseUrl),
        databaseReplicaUrls: read('DATABASE_REPLICA_URL', parseReplicaUrls) ?? [],
        publicUrl: read('TRUNKLINE_PUBLIC_URL', parsePublicUrl),
      },
      sandbox: {
        port: ports.sandbox,
        sip: sip.sandbox,
        operatorPort: operatorPort('TRUNKLINE_SANDBOX_OPERATOR_PORT'),
        databaseUrl: read('SANDBOX_DATABASE_URL', parseDatabaseUrl),
        databaseDirectUrl: read('SANDBOX_DATABASE_DIRECT_URL', parseDatabaseUrl),
        databaseReplicaUrls: read('SANDBOX_DATABASE_REPLICA_URL', parseReplicaUrls) ?? [],
        publicUrl: read('TRUNKLINE_SANDBOX_PUBLIC_URL', parsePublicUrl),
      },
    },
  };
  refuseOneDatabaseForBoth(config);
  refuseWithoutPrimary(config);
  refuseOnePortForBoth(config);
  refuseShareOverWhole(config);
  refuseSipContradictions(config);
  refuseMediaContradictions(config.media, Object.values(sip));
  return config;
}

/**
 * The variable's value, or the content of the file that `<variable>_FILE` names: so secrets of containers and services
 * arrive.
 */
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

/** Null without a server: then no e-mails are sent. */
function smtpConfig(
  server: ReturnType<typeof parseSmtpUrl> | null,
  password: string | null,
  from: string | null,
): Config['smtp'] {
  if (server === null) return null;
  if (from === null) throw new OperatorError('TRUNKLINE_SMTP_URL needs TRUNKLINE_SMTP_FROM, the sender of e-mails.');
  return { ...server, password: password ?? server.password, from };
}

/** Null without storage: then files are stored in the database. */
function s3Config(
  url: string | null,
  region: string,
  accessKey: string | null,
  secretKey: string | null,
): Config['s3'] {
  if (url === null) return null;
  if (accessKey === null || secretKey === null) {
    throw new OperatorError('TRUNKLINE_S3_URL needs TRUNKLINE_S3_ACCESS_KEY and TRUNKLINE_S3_SECRET_KEY.');
  }
  return { url, region, accessKey, secretKey };
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
  if ((sip.certificateFile === null) !== (sip.keyFile === null)) {
    const missing = sip.keyFile === null ? 'TRUNKLINE_SIP_KEY' : 'TRUNKLINE_SIP_CERTIFICATE';
    throw new OperatorError(`TRUNKLINE_SIP_CERTIFICATE and TRUNKLINE_SIP_KEY belong together: ${missing} is not set.`);
  }
  if (hasTls && (sip.certificateFile === null || sip.keyFile === null)) {
    throw new OperatorError('A SIP port for TLS needs TRUNKLINE_SIP_CERTIFICATE and TRUNKLINE_SIP_KEY.');
  }
}
