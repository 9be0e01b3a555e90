/** Any origin may call `/api/v1` from a browser; there is no cookie it could misuse (specification, Cross-origin use). */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After',
} as const;

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, Accept, x-timestamp, X-User-Agent',
  'access-control-max-age': '7200',
} as const;
