/** URLs as they are sent, and the addresses of their hosts, resolved and checked. */
import { lookup, promises } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { codeOf, OutboundError } from './outbound-request.ts';

export type Resolve = (hostname: string) => Promise<string[]>;

export function readUrl(text: string | null): URL {
  const url = URL.parse(text ?? '');
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new OutboundError('invalid_url', 'the address is not an http or https URL');
  }
  return url;
}

export function basicAuthorization(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Resolves and checks the addresses once; the connection uses exactly these addresses, so a second DNS response cannot
 * change them.
 */
export function guardedLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const allowed = addresses.filter((address) => policy.allows(address));
        const first = allowed[0];
        if (first === undefined) callback(refused(), '');
        else if (options.all)
          callback(
            null,
            allowed.map((address) => ({ address, family: isIP(address) })),
          );
        else callback(null, first, isIP(first));
      },
      (error) => callback(new OutboundError('dns', 'the host name could not be resolved', { cause: error }), ''),
    );
  };
}

const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 });

/**
 * Queries the name servers directly: the system's resolver has four threads for the whole process, so slow name servers
 * of a few customers would delay every other lookup. The system's resolver is used only for names without a dot and for
 * names that the name servers do not know (hosts file, search domains), not after a timeout.
 */
export async function resolveName(hostname: string): Promise<string[]> {
  if (!hostname.includes('.')) return systemLookup(hostname);
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (addresses.length > 0) return addresses;
  const silent = found.find((one) => one.status === 'rejected' && codeOf(one.reason) === 'ETIMEOUT');
  if (silent?.status === 'rejected') throw silent.reason;
  return systemLookup(hostname);
}

function systemLookup(hostname: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(found.map(({ address }) => address));
    });
  });
}

export function refused(): OutboundError {
  return new OutboundError('address_refused', 'the address is private, loopback or link-local, and not allowed here');
}

/**
 * The URL in ASCII: non-ASCII host names as punycode, other non-ASCII and control characters percent-encoded as UTF-8.
 * Everything else is unchanged, because signatures cover the URL as it is sent. Null if it is not a URL.
 */
export function wireUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const [, scheme = '', userinfo = '', host = '', port = '', rest = ''] = form.exec(text) ?? [];
  const asciiHost = isAscii(host) ? host : url.hostname;
  return `${scheme}${encoded(userinfo)}${asciiHost}${port}${encoded(rest)}`;
}

/** Path and query for the request line, unchanged from a URL that `wireUrl` returned. */
export function requestTarget(url: URL, text: string): string {
  const written = (form.exec(text)?.[5] ?? '').replace(/#.*$/s, '');
  if (written.startsWith('/')) return written;
  return written === '' || written.startsWith('?') ? `/${written}` : `${url.pathname}${url.search}`;
}

/** Groups: scheme, userinfo, host, port, and the rest from the first slash, question mark or number sign. */
const form = /^([a-z][a-z0-9+.-]*:\/\/)([^/\\?#]*@)?(\[[^\]]*\]|[^/\\?#:]*)(:\d*)?(.*)$/is;

const isAscii = (text: string) => /^[\x21-\x7e]*$/.test(text);

const encoded = (text: string) =>
  text.replace(/[^\x21-\x7e]+/g, (run) =>
    [...Buffer.from(run)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
