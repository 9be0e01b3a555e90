/**
 * Removes secrets from a SIP message before it is kept: credentials, media keys, passwords in URIs, dialled digits and
 * the bodies that carry personal data, such as the address of an emergency caller.
 */

const mark = '[blanked]';

export function blankSecrets(message: string): string {
  const { head, body } = split(message);
  return `${blankHead(head)}${body === '' ? '' : blankBody(head, body)}`;
}

function split(message: string): { head: string; body: string } {
  const end = /\r?\n\r?\n/.exec(message);
  if (end === null) return { head: message, body: '' };
  const bodyStart = end.index + end[0].length;
  return { head: message.slice(0, bodyStart), body: message.slice(bodyStart) };
}

const credentials = /^((?:Proxy-)?Authorization[ \t]*:[ \t]*)(.*(?:\r?\n[ \t]+.*)*)/gim;
/** `sip:user:password@host`, also in a user info with escapes. */
const uriPassword = /\b(sips?:[^\s:@<>"]+:)[^\s@<>"]+@/gi;

function blankHead(head: string): string {
  return head
    .replace(credentials, (_line, name: string, value: string) => `${name}${blankCredentials(value)}`)
    .replace(uriPassword, `$1${mark}@`);
}

/** Of a digest only the response proves anything; of any other scheme everything may. */
function blankCredentials(value: string): string {
  if (!/^digest\b/i.test(value)) return `${/^[\w-]*/.exec(value)?.[0] ?? ''} ${mark}`;
  return value.replace(/\b(response[ \t]*=[ \t]*)("[^"]*"?|[^\s,]*)/gi, `$1"${mark}"`);
}

const sdp = /^application\/sdp\b/i;

function blankBody(head: string, body: string): string {
  const type = contentType(head);
  if (sdp.test(type)) return blankSdp(body);
  const boundary = /^multipart\/.*\bboundary="?([^";\s]+)/i.exec(type)?.[1];
  if (boundary !== undefined) return blankParts(body, boundary);
  // What a transfer or a subscription reports is a SIP status line.
  return /^message\/sipfrag\b/i.test(type) ? blankHead(body) : note(type, body);
}

const contentType = (head: string): string => /^(?:content-type|c)[ \t]*:[ \t]*(.*)$/im.exec(head)?.[1]?.trim() ?? '';

const note = (type: string, body: string): string => `[${body.length} characters of ${type || 'no type'} are not kept]`;

/** Keys are overwritten at their own length, so that Content-Length stays right. */
function blankSdp(body: string): string {
  return body
    .replace(/(inline:)([^\s|]+)/gi, (_all, name: string, key: string) => `${name}${'x'.repeat(key.length)}`)
    .replace(
      /^(a=(?:ice-pwd|key-mgmt):|k=)(.*?)(\r?)$/gim,
      (_all, name: string, value: string, end: string) => `${name}${'x'.repeat(value.length)}${end}`,
    );
}

function blankParts(body: string, boundary: string): string {
  return body
    .split(`--${boundary}`)
    .map((part, index) => {
      if (index === 0 || part.startsWith('--')) return part;
      const { head, body: inner } = split(part.replace(/^\r?\n/, ''));
      return inner === ''
        ? part
        : `\r\n${head}${sdp.test(contentType(head)) ? blankSdp(inner) : `${note(contentType(head), inner)}\r\n`}`;
    })
    .join(`--${boundary}`);
}
