/** Builds the HTTP request for one event or one batch of CDRs. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { StreamName } from '../../db/tables/voice.ts';
import type { OutboundRequest } from '../../outbound/outbound-request.ts';
import type { StreamSettings } from './stream-settings.ts';

const timeoutMs = 10_000;
const compress = promisify(gzip);

export const isBatched = (stream: StreamName): boolean => stream === 'voice_in_cdr' || stream === 'voice_out_cdr';

/**
 * Each event is sent alone. CDRs are sent as lines in one body, always compressed, after the receiver has responded 100
 * Continue.
 */
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

/** Lower-cases the customer's header names, so that our own headers replace headers of the same name. */
const inLowerCase = (headers: StreamSettings['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function basicAuthorization({ username, password }: StreamSettings): Record<string, string> {
  if (username === null) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
}
