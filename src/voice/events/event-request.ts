/** An event, or a batch of CDRs, as the request that carries it. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { StreamName } from '../../db/tables/voice.ts';
import type { OutboundRequest } from '../../outbound/outbound-request.ts';
import type { StreamSettings } from './stream-settings.ts';

const timeoutMs = 10_000;
const compress = promisify(gzip);

export const isBatched = (stream: StreamName): boolean => stream === 'voice_in_cdr' || stream === 'voice_out_cdr';

/** Events go one by one as they are; CDRs as lines, always compressed, once the receiver has said that it wants them. */
export async function eventRequest(
  stream: StreamName,
  settings: StreamSettings,
  bodies: readonly string[],
): Promise<OutboundRequest> {
  const batched = isBatched(stream);
  const text = batched ? bodies.join('\n') : (bodies[0] ?? '');
  const compressed = batched || settings.gzip;
  return {
    url: settings.url,
    method: 'POST',
    headers: {
      ...inLowerCase(settings.headers),
      ...basicAuthorization(settings),
      'user-agent': 'CDR-streamer',
      accept: '*/*',
      'content-type': batched ? 'text/plain' : 'application/vnd.api+json',
      ...(compressed ? { 'content-encoding': 'gzip' } : {}),
    },
    body: compressed ? await compress(text) : text,
    timeoutMs,
    maxResponseBytes: 1024,
    oversize: 'cut',
    ...(batched ? { expectContinue: true } : {}),
  };
}

/** So that what is said below replaces a customer's header of the same name instead of standing beside it. */
const inLowerCase = (headers: StreamSettings['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function basicAuthorization({ username, password }: StreamSettings): Record<string, string> {
  if (username === null) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
}
