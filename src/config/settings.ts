/** The table of settings: variables, flags, defaults and meanings. */

interface Setting {
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
  ['DATABASE_DIRECT_URL', 'database-direct-url', 'URL', null, 'the same database past PgBouncer in transaction mode'],
  ['SANDBOX_DATABASE_DIRECT_URL', 'sandbox-database-direct-url', 'URL', null, 'the same for the sandbox'],
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
  [
    'TRUNKLINE_SMTP_URL',
    null,
    'URL',
    null,
    'server for e-mails, such as smtps://user@mail.example.com; none without it',
  ],
  ['TRUNKLINE_SMTP_PASSWORD', null, 'PASSWORD', null, 'password of its user'],
  ['TRUNKLINE_SMTP_FROM', 'smtp-from', 'ADDRESS', null, 'sender of e-mails'],
  [
    'TRUNKLINE_S3_URL',
    's3-url',
    'URL',
    null,
    'S3-compatible storage for the files of exports and uploads, with its bucket; in the database without it',
  ],
  ['TRUNKLINE_S3_REGION', 's3-region', 'REGION', 'us-east-1', 'region of the storage, as it is signed'],
  ['TRUNKLINE_S3_ACCESS_KEY', null, 'KEY', null, 'access key of the storage'],
  ['TRUNKLINE_S3_SECRET_KEY', null, 'SECRET', null, 'secret key of the storage'],
  ['TRUNKLINE_SERVER_KEY', null, 'KEY', null, '32 bytes in base64 that protect secrets; generated when unset'],
  ['TRUNKLINE_TRACES', 'traces', 'URL', null, 'OpenTelemetry collector (OTLP over HTTP) that gets traces'],
  ['TRUNKLINE_TRACES_SHARE', 'traces-share', 'SHARE', '1', 'share of the requests that is traced, 0 to 1'],
  ['TRUNKLINE_CERTIFICATES', 'certificates', 'LIST', null, 'PEM files with commas; /metrics shows when they end'],
  ['TRUNKLINE_LOG_LEVEL', 'log-level', 'LEVEL', 'info', 'trace, debug, info, warn, error, fatal or silent'],
  ['TRUNKLINE_DATABASE_CONNECTIONS', 'database-connections', 'N', '8', 'most connections to each database'],
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
  ['TRUNKLINE_WORLDS_SIP', 'worlds-sip', 'N', '8', 'most of them with SIP on a port of their own; 0 = none'],
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
