/** A receiver of call events in a process of its own: remembers what came when, and tells it on request. */
import { createServer } from 'node:http';

interface Seen {
  id: string;
  type: string;
  at: number;
}

let seen: Seen[] = [];
const now = () => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(seen));
    return;
  }
  if (request.method === 'DELETE') {
    seen = [];
    response.writeHead(204).end();
    return;
  }
  // Takes everything and never answers.
  if (request.url === '/hang') return;
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const { id, type } = JSON.parse(body);
    seen.push({ id, type, at: now() });
    response.writeHead(200).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.(address?.port);
});
process.once('disconnect', () => process.exit(0));
