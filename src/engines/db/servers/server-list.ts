/**
 * The servers that a database's address names. With several of them it has libpq's parameters, as many of one as of the
 * other: `?host=a,b,c&port=5432,5432,5432&target_session_attrs=read-write`. The settings bring other spellings to it.
 */

export interface Server {
  readonly host: string;
  readonly port: number;
}

/** Only if the address asks for the one server that takes writes; otherwise none: whoever is there is used. */
export function serversIn(url: string): readonly Server[] {
  const { searchParams } = new URL(url);
  if (searchParams.get('target_session_attrs') !== 'read-write') return [];
  const ports = (searchParams.get('port') ?? '').split(',');
  return (searchParams.get('host') ?? '').split(',').map((host, index) => ({ host, port: Number(ports[index]) }));
}

/** The address of one of them. */
export function addressOf(url: string, { host, port }: Server): string {
  const one = new URL(url);
  one.searchParams.set('host', host);
  one.searchParams.set('port', String(port));
  one.searchParams.delete('target_session_attrs');
  return one.href;
}

/** The same for all databases of the same servers and role. */
export function nameOfAll(url: string): string {
  const { username, searchParams } = new URL(url);
  return [username, searchParams.get('host'), searchParams.get('port')].join(' ');
}

export const nameOf = ({ host, port }: Server): string => `${host}:${port}`;
