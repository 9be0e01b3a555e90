/** undici's `request` over one pool of connections, with pipelining. */
import { FormData, Pool } from 'undici';
import { run } from './scenario.js';

const pool = new Pool(process.env.API, { connections: 2, pipelining: 4 });

await run(async ({ method, url, query, headers, json, text, form }) => {
  const target = new URL(url);
  const body = form ? copyOf(form) : (text ?? (json === undefined ? null : JSON.stringify(json)));
  const path = target.pathname + target.search;
  const response = await pool.request({ method, path, headers, body, ...(query && { query }) });
  const answer = await response.body.text();
  const data = answer === '' ? null : JSON.parse(answer);
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], data };
});
await pool.close();

/** The package knows its own class of forms only. */
function copyOf(form) {
  const own = new FormData();
  for (const [name, value] of form) own.append(name, value);
  return own;
}
