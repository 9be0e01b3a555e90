/** Kamailio as a peer to compare with: relays calls with dialogs and accounting, both written to PostgreSQL at once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { exchange, freePort } from '../../test/support/datagrams.ts';
import type { World } from '../world.ts';
import type { SipServer } from './sip-server.ts';

const tables = ['standard', 'acc', 'dialog'];
/** Where Debian's package has the statements that make them. */
const statements = '/usr/share/kamailio/postgres';

export async function startKamailio(world: World, calleePort: number): Promise<SipServer> {
  await world.server.createDatabase('kamailio');
  const url = world.server.url('kamailio');
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  for (const name of tables) await pool.query(await readFile(path.join(statements, `${name}-create.sql`), 'utf8'));
  const port = await freePort();
  const file = path.join(world.folder, 'kamailio.cfg');
  await writeFile(file, configuration(port, calleePort, databaseUrl(url)));
  await chmod(world.folder, 0o755);
  const place = ['-w', world.folder, '-Y', world.folder, '-P', path.join(world.folder, 'kamailio.pid')];
  const child = spawn('kamailio', ['-DD', '-E', '-m', '512', '-M', '16', ...place, '-f', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    env: { ...process.env, ...socketOf(url) },
  });
  let output = '';
  child.stderr.on('data', (bytes) => {
    output = `${output}${bytes}`.slice(-4000);
  });
  for (let tries = 0; (await exchange(port, options(port)))?.startsWith('SIP/2.0 200') !== true; tries++) {
    if (tries > 100 || child.exitCode !== null) throw new Error(`Kamailio did not start: ${output}`);
    await sleep(100);
  }
  return {
    name: 'Kamailio',
    port,
    pid: child.pid ?? 0,
    numbers: ['442037691880'],
    recorded: async () => {
      const { rows } = await pool.query(
        `select (select count(*)::int from acc) / 2 as calls, (select count(*)::int from dialog) as open`,
      );
      return rows[0];
    },
    stop: async () => {
      const exited = once(child, 'exit');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await exited;
      await pool.end();
    },
  };
}

/** Kamailio's URLs have no place for the folder of a socket: the PostgreSQL library reads it from its variables. */
function socketOf(url: string): Record<string, string> {
  const { searchParams } = new URL(url);
  const [host, port] = [searchParams.get('host'), searchParams.get('port')];
  return host === null || port === null ? {} : { PGHOST: host, PGPORT: port };
}

function databaseUrl(url: string): string {
  const { username, password, host, pathname, search } = new URL(url);
  const user = password === '' ? username : `${username}:${password}`;
  return `postgres://${user}@${search === '' ? host : ''}${pathname}`;
}

const options = (port: number): string =>
  [
    `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK${Math.random()};rport`,
    'From: <sip:bench@127.0.0.1>;tag=1',
    'To: <sip:127.0.0.1>',
    `Call-ID: ready-${Math.random()}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');

/** Eight processes, as Debian's own configuration has; accounting as its `WITH_ACCDB` sets it up. */
const configuration = (port: number, calleePort: number, url: string): string => `#!KAMAILIO
debug=0
log_stderror=yes
fork=yes
children=8
disable_tcp=yes
auto_aliases=no
listen=udp:127.0.0.1:${port}
loadmodule "db_postgres.so"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "textops.so"
loadmodule "maxfwd.so"
loadmodule "siputils.so"
loadmodule "dialog.so"
loadmodule "acc.so"
modparam("rr", "enable_full_lr", 1)
modparam("dialog", "db_url", "${url}")
modparam("dialog", "db_mode", 1)
modparam("dialog", "dlg_flag", 4)
modparam("dialog", "default_timeout", 86400)
modparam("acc", "db_url", "${url}")
modparam("acc", "db_flag", 1)
modparam("acc", "early_media", 0)
modparam("acc", "report_ack", 0)
modparam("acc", "report_cancels", 1)
request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("OPTIONS") && uri == myself) { sl_send_reply("200", "OK"); exit; }
  if (has_totag()) {
    if (!loose_route()) {
      if (is_method("ACK") && t_check_trans()) t_relay();
      exit;
    }
    if (is_method("BYE")) setflag(1);
    t_relay();
    exit;
  }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  t_check_trans();
  if (!is_method("INVITE")) { sl_send_reply("405", "Method Not Allowed"); exit; }
  record_route();
  setflag(1);
  setflag(4);
  dlg_manage();
  $du = "sip:127.0.0.1:${calleePort}";
  t_relay();
}
`;
