/** Stands between processes and a PostgreSQL server, so that the database can be away for a while. */
import net from 'node:net';

export interface DatabaseProxy {
  url: string;
  /** Ends every connection, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
  close(): void;
}

/** `url` is that of a server on a Unix socket or on TCP. */
export async function openDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const folder = target.searchParams.get('host');
  const port = target.searchParams.get('port') ?? (target.port || '5432');
  const connect = () =>
    folder === null
      ? net.connect(Number(port), target.hostname)
      : net.connect(`${decodeURIComponent(folder)}/.s.PGSQL.${port}`);
  const sockets = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((incoming) => {
    if (isCut) return void incoming.destroy();
    const outgoing = connect();
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxied = new URL(url);
  proxied.searchParams.delete('host');
  proxied.searchParams.delete('port');
  proxied.hostname = '127.0.0.1';
  proxied.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: proxied.href,
    cut: () => {
      isCut = true;
      drop();
    },
    restore: () => {
      isCut = false;
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
