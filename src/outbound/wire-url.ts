/** URLs as sent. The signature covers what is sent, so nothing is normalised beyond what HTTP requires. */

/**
 * The URL in ASCII: non-ASCII host names as punycode, other non-ASCII and control characters percent-encoded as UTF-8.
 * Everything else is unchanged. Null if it is not a URL.
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
