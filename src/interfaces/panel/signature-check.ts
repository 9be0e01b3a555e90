/**
 * The signature debugger: compares a request that a receiver got with the callback that was sent, line by line, and
 * computes its signatures. A signature covers the URL and the body as they were sent, so the first line that differs is
 * the reason why a receiver computes another one.
 */
import { type CallbackRequest, signWebhook } from '../../business/callbacks/callback-request.ts';

interface ReceivedRequest {
  method: string;
  /** The path and query of the request line, or the whole URL. */
  target: string;
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** Reads an HTTP request as tools print it. Returns null if the first line is not one of a request. */
export function readRequest(text: string): ReceivedRequest | null {
  const [head = '', ...rest] = text.replace(/^\s+/, '').replaceAll('\r\n', '\n').split('\n\n');
  const [line = '', ...headerLines] = head.split('\n');
  const [, method, target] = /^([A-Za-z]+)\s+(\S+)/.exec(line.trim()) ?? [];
  if (method === undefined || target === undefined) return null;
  const headers = new Map(
    headerLines.flatMap((each) => {
      const [, name, value] = /^([^:\s]+)\s*:\s*(.*?)\s*$/.exec(each) ?? [];
      return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const];
    }),
  );
  // A body that was pasted from an editor ends with a line break that was never sent.
  return { method: method.toUpperCase(), target, headers, body: rest.join('\n\n').replace(/\n$/, '') };
}

interface ComparedLine {
  what: string;
  sent: string | null;
  received: string | null;
  same: boolean;
}

/** The lines that matter for the signatures, in the order in which they are worth looking at. */
export function compareRequests(sent: CallbackRequest, received: ReceivedRequest): ComparedLine[] {
  const line = (what: string, ours: string | null, theirs: string | null): ComparedLine => ({
    what,
    sent: ours,
    received: theirs,
    same: ours === theirs,
  });
  const signed = Object.keys(sent.headers).filter(
    (name) => name === 'content-type' || /^webhook-|signature$/.test(name),
  );
  return [
    line('method', sent.method, received.method),
    line('address', targetOf(sent.url, received.target), received.target),
    ...signed.map((name) => line(name, sent.headers[name] ?? null, received.headers.get(name) ?? null)),
    ...bodyLines(sent, sent.body ?? '', received.body).map(([ours, theirs], index) =>
      line(`body, line ${index + 1}`, ours, theirs),
    ),
  ];
}

/** The part of our URL that the receiver's request line has: proxies remove the host, some keep it. */
function targetOf(url: string, received: string): string {
  if (/^[a-z]+:\/\//i.test(received)) return url;
  const parsed = new URL(url);
  return `${parsed.pathname}${parsed.search}`;
}

/** A form has one line for each field, which is easier to compare than one long line. */
function bodyLines({ headers }: CallbackRequest, sent: string, received: string): [string | null, string | null][] {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  const split = (text: string) => (text === '' ? [] : text.split(isForm ? '&' : '\n'));
  const [ours, theirs] = [split(sent), split(received)];
  return Array.from({ length: Math.max(ours.length, theirs.length) }, (_, index) => [
    ours[index] ?? null,
    theirs[index] ?? null,
  ]);
}

/** The signature that the received id, time and body have with this secret. */
export function webhookSignatureOf(received: ReceivedRequest, secret: string): string {
  const { headers, body } = received;
  return signWebhook(secret, headers.get('webhook-id') ?? '', Number(headers.get('webhook-timestamp') ?? 0), body);
}
