/**
 * Clients of one account that never wait, whatever Retry-After says, in a process of their own. Ends with its parent.
 */
import { Agent, request } from 'node:http';

const [, , url = '', key = '', clients = '1'] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: Number(clients), maxFreeSockets: Number(clients) });
const send = () =>
  new Promise<void>((resolve) => {
    const sent = request(url, { agent, headers: { 'api-key': key } });
    sent.on('error', () => resolve());
    sent.on('response', (response) => response.resume().on('close', resolve));
    sent.end();
  });
process.once('disconnect', () => process.exit(0));
await Promise.all(
  Array.from({ length: Number(clients) }, async () => {
    for (;;) await send();
  }),
);
