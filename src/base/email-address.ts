/** E-mail addresses: every one that comes in, by whatever way, is checked here before it is stored or written to. */
import { domainToASCII } from 'node:url';

/** Letters, digits and signs in parts between single dots; no quotes, spaces, control characters or comments. */
const localPart = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const hostName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** As RFC 5321 limits them: 64 characters before the sign, 254 in all. The domain may be in any script. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  // A host that is only digits would be read as an address of the network.
  if (at < 1 || text.length > 254 || local.length > 64 || /[\s\p{C}]/u.test(text) || /^[\d.]+$/.test(domain))
    return false;
  return localPart.test(local) && hostName.test(domainToASCII(domain));
}

/** Spaces around one are no part of it. */
export const trimmedAddress = (text: string): string => text.replace(/^ +| +$/g, '');
