/** axios: parameters as an object, a body as an object, the package's own form data in between. */
import axios from 'axios';
import { run } from './scenario.js';

const client = axios.create({ validateStatus: () => true });

await run(async ({ method, url, query, headers, json, text, form }) => {
  const response = await client.request({ method, url, params: query, headers, data: form ?? text ?? json });
  return { status: response.status, retryAfter: response.headers['retry-after'], data: response.data };
});
