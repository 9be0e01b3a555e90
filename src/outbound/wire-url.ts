/** A URL as it goes over the wire. What is signed is what is sent, so nothing is normalised beyond what HTTP requires. */

/**
 * The URL in ASCII: a host name outside ASCII in its DNS form (punycode), other characters outside ASCII and control
 * characters percent-encoded as UTF-8. Everything else stays as it was written. Null if it is not a URL.
 */
export function wireUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const [, scheme = '', userinfo = '', host = '', port = '', rest = ''] = form.exec(text) ?? [];
  const asciiHost = isAscii(host) ? host : url.hostname;
  return `${scheme}${encoded(userinfo)}${asciiHost}${port}${encoded(rest)}`;
}

/** Path and query for the request line, as written in a URL that `wireUrl` made. */
export function requestTarget(url: URL, text: string): string {
  const written = (form.exec(text)?.[5] ?? '').replace(/#.*$/s, '');
  if (written.startsWith('/')) return written;
  return written === '' || written.startsWith('?') ? `/${written}` : `${url.pathname}${url.search}`;
}

/** Scheme, userinfo, host, port, and the rest from the first slash, question mark or number sign on. */
const form = /^([a-z][a-z0-9+.-]*:\/\/)([^/\\?#]*@)?(\[[^\]]*\]|[^/\\?#:]*)(:\d*)?(.*)$/is;

const isAscii = (text: string) => /^[\x21-\x7e]*$/.test(text);

const encoded = (text: string) =>
  text.replace(/[^\x21-\x7e]+/g, (run) =>
    [...Buffer.from(run)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
