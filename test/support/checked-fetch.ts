/**
 * `fetch`, for tests that need it bare: uploads, downloads, several processes. Its responses are held against the
 * document too.
 */
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import { responseCheck } from './response-check.ts';

const check = responseCheck(openApiDocument({ name: 'sandbox' }, 'http://127.0.0.1'));

const described = /^\/(v3|api\/v1|sandbox\/v1|storage)\//;

export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  if (described.test(pathname)) {
    const contentType = response.headers.get('content-type');
    const isText = contentType === null || contentType.includes('json');
    check({
      method: init.method ?? 'GET',
      url: pathname + search,
      status: response.status,
      contentType,
      text: isText ? await response.clone().text() : '',
    });
  }
  return response;
}
