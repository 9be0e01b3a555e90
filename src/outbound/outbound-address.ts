/** Where a request goes: the URL, and addresses that were checked before anything is sent to them. */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { OutboundError } from './outbound-error.ts';

export function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new OutboundError('invalid_url', 'the address is not an http or https URL');
  }
  return url;
}

export function basicAuthorization(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** The connection goes to the very addresses that were checked: a second answer of the name server is never asked for. */
export function guardedLookup(policy: AddressPolicy, resolve: (hostname: string) => Promise<string[]>): LookupFunction {
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

export function resolveName(hostname: string): Promise<string[]> {
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
