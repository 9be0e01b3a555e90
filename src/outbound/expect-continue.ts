/** A request whose body waits for the receiver's 100 Continue. undici does not speak that; Node's own client does. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { basicAuthorization, guardedLookup, readUrl, refused } from './outbound-address.ts';
import { outboundErrorFrom } from './outbound-error.ts';
import type { OutboundRequest, OutboundResponse } from './outbound-http.ts';

/** A receiver that does not know the header says nothing; after this the body is sent anyway (RFC 9110, 10.1.1). */
const patienceMs = 1_000;

export async function sendExpecting(
  policy: AddressPolicy,
  resolve: (hostname: string) => Promise<string[]>,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const url = readUrl(request.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !policy.allows(host)) throw refused();
  const body = Buffer.from(request.body ?? '');
  const signal = AbortSignal.timeout(request.timeoutMs ?? 60_000);
  const headers = {
    ...basicAuthorization(url),
    ...request.headers,
    'content-length': body.length,
    expect: '100-continue',
  };
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const outgoing = open(url, { method: request.method, headers, signal, lookup: guardedLookup(policy, resolve) });
  try {
    return await answerOf(outgoing, body, request.maxResponseBytes ?? 65_536);
  } catch (error) {
    throw outboundErrorFrom(error, signal.aborted);
  }
}

function answerOf(outgoing: ClientRequest, body: Buffer, limit: number): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const send = () => {
      clearTimeout(patience);
      if (!outgoing.writableEnded) outgoing.end(body);
    };
    const patience = setTimeout(send, patienceMs);
    outgoing.once('continue', send);
    outgoing.once('error', (error) => {
      clearTimeout(patience);
      reject(error);
    });
    outgoing.once('response', (answer) => {
      clearTimeout(patience);
      // Refused before it was sent: then it never will be.
      if (!outgoing.writableEnded) outgoing.destroy();
      readAnswer(answer, limit).then(resolve, reject);
    });
    outgoing.flushHeaders();
  });
}

async function readAnswer(answer: IncomingMessage, limit: number): Promise<OutboundResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    if (!answer.complete && chunks.length === 0 && answer.statusCode === undefined) throw error;
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).subarray(0, limit) };
}
