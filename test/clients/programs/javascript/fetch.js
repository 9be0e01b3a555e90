/** `fetch`, as Node and browsers have it. */
import { run } from './scenario.js';

await run(async ({ method, url, query, headers, json, text, form }) => {
  const body = form ?? text ?? (json === undefined ? undefined : JSON.stringify(json));
  const target = query === undefined ? url : `${url}?${new URLSearchParams(query)}`;
  const response = await fetch(target, { method, headers, body });
  const data = response.status === 204 ? null : await response.json();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), data };
});
