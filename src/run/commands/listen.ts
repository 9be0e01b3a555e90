/** `listen`: what a sandbox sends, as it is sent, and sends it on to a program on this machine. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../base/operator-error.ts';
import { defineCommand } from './command.ts';
import { controlOptions, openControlStream } from './sandbox-control.ts';

interface SentEvent {
  at: string;
  kind: string;
  text: string;
  request: { method: string; url: string; headers: Record<string, string>; body: string };
}

const pauseMs = 1_000;

export const listenCommands = [
  defineCommand({
    name: 'listen',
    summary: 'Print the callbacks and call events of a sandbox as they are sent, and forward them.',
    options: {
      ...controlOptions,
      forward: { type: 'string', value: 'URL', summary: 'send each of them there as well' },
      secret: {
        type: 'string',
        value: 'SECRET',
        summary: 'what forwarded callbacks are signed with (a new one, which is printed)',
      },
      count: { type: 'string', value: 'N', summary: 'stop after so many' },
    },
    notes:
      'What is forwarded has the method, the headers and the bytes of the real request, each once, signed with the secret and for URL. The values of your own headers and passwords of call events are replaced by the secret.',
    run: async ({ values, out }) => {
      let left = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count);
      if (!(left > 0)) throw new OperatorError('--count must be a number greater than 0.');
      const secret = values.secret ?? `whsec_${randomBytes(24).toString('base64')}`;
      const query = values.forward === undefined ? '' : `?forward=${encodeURIComponent(values.forward)}`;
      const connect = () => openControlStream(values, `/listen${query}`, { 'listen-secret': secret });
      for (let first = true; left > 0; first = false) {
        const stream = await connect().catch((error: unknown) => {
          // Only a sandbox that restarts is waited for.
          if (first || !(error instanceof OperatorError) || error.message.includes('refused')) throw error;
          return null;
        });
        if (stream === null) {
          await sleep(pauseMs);
          continue;
        }
        for await (const { name, data } of eventsIn(stream)) {
          if (name === 'ready' && first && values.forward !== undefined)
            out(`Forwarded callbacks are signed with ${secret}`);
          if (name === 'ready' && first) out('Listening.');
          if (name !== 'sent') continue;
          const sent: SentEvent = JSON.parse(data);
          out(`${sent.at} ${sent.kind} ${sent.text}`);
          if (values.forward !== undefined) out(`  ${values.forward} ${await forward(sent)}`);
          left -= 1;
          if (left === 0) break;
        }
      }
    },
  }),
];

/** Events of a stream of server-sent events. */
async function* eventsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<{ name: string; data: string }> {
  const decoder = new TextDecoder();
  let waiting = '';
  try {
    for await (const bytes of stream) {
      waiting += decoder.decode(bytes, { stream: true });
      const blocks = waiting.split('\n\n');
      waiting = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const [name, data] = [field('event'), field('data')];
        if (name !== undefined && data !== undefined) yield { name, data };
      }
    }
  } catch {
    // The connection was cut; the caller opens another.
  }
}

/** With Node's own client, which adds no headers but those of the connection. */
async function forward({ request }: SentEvent): Promise<string> {
  const { url, method, headers, body } = request;
  const bytes = Buffer.from(body, 'base64');
  const sending = url.startsWith('https:') ? httpsRequest : httpRequest;
  const length = method === 'POST' ? { 'content-length': String(bytes.length) } : {};
  try {
    const outgoing = sending(url, { method, headers: { ...headers, ...length } });
    outgoing.end(bytes);
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    response?.resume();
    return `answered ${response?.statusCode}`;
  } catch {
    return 'does not answer';
  }
}
