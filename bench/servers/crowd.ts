/**
 * Clients that never wait, in a process of their own: each sends its next request when the last is answered. The keys
 * are taken in turn, so one key for many clients is one account's flood, and as many keys as clients are a crowd. Ends
 * with its parent, which it tells when everybody is at it.
 */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

const [, , url = '', keys = '', clients = '1', manner = 'reads'] = process.argv;
const { hostname, port, pathname, search } = new URL(url);
const known = keys.split(',');
const agent = new Agent({ keepAlive: true, maxSockets: Number(clients), maxFreeSockets: Number(clients) });

const send = (key: string) =>
  new Promise<void>((resolve) => {
    const sent = request(url, { agent, headers: { 'api-key': key } });
    sent.on('error', () => resolve());
    sent.on('response', (response) => response.resume().on('close', resolve));
    sent.end();
  });

/** Sends many requests over one connection and takes no answer; again when it is cut off or a second is over. */
const sendUnread = (key: string) =>
  new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\napi-key: ${key}\r\n\r\n`.repeat(20));
    socket.on('error', () => undefined).once('close', () => resolve());
    setTimeout(() => socket.destroy(), 1_000);
  });

process.once('disconnect', () => process.exit(0));
let begun = 0;
await Promise.all(
  Array.from({ length: Number(clients) }, async (_, n) => {
    const ask = () => (manner === 'unread' ? sendUnread : send)(known[n % known.length] ?? '');
    await ask();
    begun += 1;
    if (begun === Number(clients)) process.send?.('busy');
    for (;;) await ask();
  }),
);
