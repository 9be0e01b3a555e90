/** got: `searchParams`, `json` and `body`; no exceptions and no retries, so that every status is seen. */
import got from 'got';
import { run } from './scenario.js';

const client = got.extend({ throwHttpErrors: false, retry: { limit: 0 } });

await run(async ({ method, url, query, headers, json, text, form }) => {
  const body = form ?? text;
  const options = {
    method,
    headers,
    ...(query && { searchParams: query }),
    ...(json && { json }),
    ...(body && { body }),
  };
  const response = await client(url, options);
  const data = response.body === '' ? null : JSON.parse(response.body);
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], data };
});
