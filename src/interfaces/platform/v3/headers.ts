/** The response headers of `/v3` that every response has, whichever type or error it is about: safety and CORS. */
import { isVersionHeader } from '../versions/versions.ts';

const safety = {
  vary: 'Accept, Origin',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  'x-permitted-cross-domain-policies': 'none',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-xss-protection': '0',
};

const cors = {
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, OPTIONS',
  'access-control-expose-headers': 'Date, X-Request-Id, Content-Disposition, X-Api-Version-Ignored',
  'access-control-max-age': '7200',
};

const allowedHeaders =
  'Origin, X-Requested-With, Content-Type, Accept, auth-key, x-api-key, api-key, x-api-token, X-Service-Api-Version, Idempotency-Key, X-User-Agent, Cache-Control';

interface Asked {
  origin?: string | undefined;
  /** Headers that a preflight request asks about. */
  requestedHeaders?: string | undefined;
  /** The origin of this server, as browsers see it. */
  own?: string | null;
  /** Versions that the request names and this server does not know. */
  ignoredVersions?: string | null;
}

/**
 * Reflects the origin of the request; without one there is nothing to allow. Pages of another origin send their key,
 * and are never allowed to send the cookie of a session.
 */
export function commonHeaders({ ignoredVersions = null, ...asked }: Asked): Record<string, string> {
  const headers = headersFor(asked);
  return ignoredVersions === null ? headers : { ...headers, 'x-api-version-ignored': ignoredVersions };
}

function headersFor({ origin, requestedHeaders = '', own = null }: Asked): Record<string, string> {
  if (origin === undefined) return safety;
  // Any word may stand in the version header, so a list cannot name it: the one that is asked about is added.
  const versionHeaders = requestedHeaders
    .split(',')
    .map((name) => name.trim())
    .filter(isVersionHeader);
  return {
    ...safety,
    ...(origin === own ? { 'access-control-allow-credentials': 'true' } : {}),
    ...cors,
    'access-control-allow-headers': [allowedHeaders, ...versionHeaders].join(', '),
    'access-control-allow-origin': origin,
  };
}
