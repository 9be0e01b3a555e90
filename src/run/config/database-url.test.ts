/** Several servers in one address, as libpq writes them. */
import { expect, it } from 'vitest';
import { addressOf, serversIn } from '../../engines/db/servers/server-list.ts';
import { parseDatabaseUrl } from './database-url.ts';

const attributes = 'target_session_attrs=read-write';

it.each([
  [`postgres://u:p@a:5433,b,c:5434/db?${attributes}`, 'a:5433 b:5432 c:5434'],
  [`postgresql://u@a,b/db?port=6432&${attributes}`, 'a:6432 b:6432'],
  [`postgres://u@ignored/db?host=a,b&port=1,2&${attributes}`, 'a:1 b:2'],
  [`postgres://[::1]:5433,[fe80::2]/db?${attributes}`, '::1:5433 fe80::2:5432'],
  [`postgres://u@a/db?${attributes}`, 'a:5432'],
  [`postgres://u@localhost/db?host=/run/one,/run/two&${attributes}`, '/run/one:5432 /run/two:5432'],
])('%s', (text, expected) => {
  const servers = serversIn(parseDatabaseUrl(text));
  expect(servers.map(({ host, port }) => `${host}:${port}`).join(' ')).toBe(expected);
});

it('keeps user, password, database and the other parameters for each server', () => {
  const url = parseDatabaseUrl(`postgres://us%40er:p%2Fw@a,b:5433/db?sslmode=verify-full&${attributes}`);
  const [, second] = serversIn(url);
  const address = new URL(addressOf(url, second ?? { host: '', port: 0 }));
  expect([address.username, address.password, address.pathname]).toEqual(['us%40er', 'p%2Fw', '/db']);
  expect(Object.fromEntries(address.searchParams)).toEqual({ host: 'b', port: '5433', sslmode: 'verify-full' });
});

it('leaves an address of one server as it is, which is used whoever it is', () => {
  const text = 'postgres://u:p@host:5432/db?application_name=x';
  expect(parseDatabaseUrl(text)).toBe(text);
  expect(serversIn(text)).toEqual([]);
});

it.each([
  ['postgres://u:secret@a,b/db', /must have target_session_attrs=read-write$/],
  ['postgres://u:secret@a/db?target_session_attrs=standby', /must have target_session_attrs=read-write$/],
  [`postgres://u:secret@a,b/db?port=1,2,3&${attributes}`, /one port for all or one for each$/],
  [`postgres://u:secret@a,/db?${attributes}`, /every server with its host/],
  [`postgres://u:secret@a:x,b:y/db?${attributes}`, /must be an address such as/],
  [`postgres://u:secret@a,a:5432/db?${attributes}`, /must not name a server twice$/],
  ['postgres://u:secret@a,b', /must be an address such as/],
])('refuses %s in words that do not repeat it', (text, message) => {
  expect(() => parseDatabaseUrl(text)).toThrow(message);
  expect(() => parseDatabaseUrl(text)).not.toThrow('secret');
});
