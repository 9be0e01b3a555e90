/**
 * Requests whose address is written in another way than usual, as an attacker would, and as `fetch` would not send it.
 */
import { Agent, request as send } from 'node:http';
import { afterAll } from 'vitest';

const hex = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

/** Ways to write a path that lead to the same route. */
export const spellings: Readonly<Record<string, (path: string) => string>> = {
  'as usual': (path) => path,
  'with one letter of each word encoded': (path) => path.replaceAll(/\/(\w)/g, (_, letter) => `/${hex(letter)}`),
  'with all letters encoded': (path) => path.replaceAll(/[a-z_]/g, hex),
  'in absolute form': (path) => `http://elsewhere.test${path}`,
};

type Headers = Readonly<Record<string, string>>;

interface Spelled {
  method: string;
  path: string;
  headers?: Headers;
  body?: string;
}

/** Returns a function that sends a request and returns the status of its response. */
export function useSpelledRequests(server: { readonly url: string }): (request: Spelled) => Promise<number> {
  const agent = new Agent({ keepAlive: true });
  afterAll(() => agent.destroy());
  return ({ method, path, headers = {}, body = '' }) =>
    new Promise((resolve, reject) => {
      const length = body === '' ? {} : { 'content-length': String(body.length) };
      const sent = send(server.url, { agent, method, path, headers: { ...headers, ...length } }, (response) => {
        const status = response.statusCode ?? 0;
        // A stream of events has no end.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          response.destroy();
          return resolve(status);
        }
        response.resume();
        response.once('end', () => resolve(status));
      });
      sent.once('error', reject);
      sent.end(body);
    });
}
