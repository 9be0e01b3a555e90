/** The address of a database, with one server or several as libpq writes them. */
import { FieldError } from '../../base/fields.ts';

const oneOrSeveral = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)([/?#].*)?$/;

/**
 * Several servers, and one that must take writes, become the parameters that engines/db/servers/server-list.ts reads.
 * The text may hold a password, so no error repeats it.
 */
export function parseDatabaseUrl(text: string): string {
  const [, before = '', authority = '', after = ''] = oneOrSeveral.exec(text) ?? [];
  const places = authority.split(',').map(placeOf);
  const [first] = places;
  const one = `${before}${first?.authority ?? ''}${after}`;
  const url = before !== '' && URL.canParse(one) ? new URL(one) : null;
  if (url === null || url.pathname.length < 2) {
    throw new FieldError('must be an address such as postgres://user:password@host:5432/database');
  }
  const { searchParams } = url;
  const hosts = searchParams.get('host')?.split(',') ?? places.map(({ host }) => host);
  const ports = searchParams.get('port')?.split(',') ?? places.map(({ port }) => port);
  const attributes = searchParams.get('target_session_attrs');
  if (attributes === null && hosts.length === 1) return text;
  if (attributes !== 'read-write') {
    throw new FieldError('with several servers or target_session_attrs must have target_session_attrs=read-write');
  }
  const portOf = (index: number) => (ports.length === 1 ? ports[0] : ports[index]) || '5432';
  const servers = hosts.map((host, index) => `${host} ${portOf(index)}`);
  if (![1, hosts.length].includes(ports.length) || !servers.every((server) => /^\S+ \d{1,5}$/.test(server))) {
    throw new FieldError('must name every server with its host, and one port for all or one for each');
  }
  if (new Set(servers).size < servers.length) throw new FieldError('must not name a server twice');
  searchParams.set('host', hosts.join(','));
  searchParams.set('port', hosts.map((_, index) => portOf(index)).join(','));
  return url.href;
}

/** Each server has an address of its own, with commas or blanks between. */
export function parseReplicaUrls(text: string): string[] {
  const urls = text.split(/[\s,]+(?=postgres(?:ql)?:)/).map((one) => one.trim());
  for (const url of urls) {
    if (parseDatabaseUrl(url) !== url) throw new FieldError('must name one server in each address');
  }
  return urls;
}

function placeOf(authority: string): { authority: string; host: string; port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? [];
  return { authority, host: decodeURIComponent(host.replace(/^\[|\]$/g, '')), port };
}

/** Where the data is, however it is written; two addresses that share one of these are of the same database. */
export function databasePlaces(address: string): string[] {
  const { hostname, port, pathname, searchParams } = new URL(address);
  const hosts = (searchParams.get('host') ?? hostname).split(',');
  const ports = (searchParams.get('port') ?? port).split(',');
  return hosts.map((host, index) => `${host}:${ports[index] || ports[0] || '5432'}${pathname}`);
}
