/** Requests to `/sandbox/v1`. */

export class TrunklineError extends Error {
  constructor(status, text) {
    super(`${status}: ${text}`);
    this.name = 'TrunklineError';
    this.status = status;
  }
}

/** Returns a function that sends one request and returns its body. */
export const controlOf = (url, apiKey) => async (method, path, body) => {
  const response = await fetch(`${url}/sandbox/v1${path}`, {
    method,
    headers: { 'api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const shown = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new TrunklineError(response.status, shown?.error ?? text);
  return shown;
};

/** Returns a function that sends or receives a file. */
export const transferOf = (url, apiKey) => async (method, path, body) => {
  const response = await fetch(`${url}/sandbox/v1${path}`, {
    method,
    headers: { 'api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/gzip' }) },
    ...(body === undefined ? {} : { body }),
  });
  const content = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new TrunklineError(response.status, content.toString());
  return content;
};

export function queryOf(members) {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
