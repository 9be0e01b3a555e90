/** Writes the configuration of a Kamailio edge: `kamailio.cfg`, the list of workers, and the settings of TLS. */
import { type EdgeSettings, hasTls, hostOf } from './edge-settings.ts';
import { routingBlocks } from './kamailio-routes.ts';

/** File name → content. */
export function edgeFiles(settings: EdgeSettings): Readonly<Record<string, string>> {
  return {
    'kamailio.cfg': kamailioConfig(settings),
    'dispatcher.list': workerList(settings),
    ...(hasTls(settings) && { 'tls.cfg': tlsSettings(settings) }),
  };
}

function kamailioConfig(settings: EdgeSettings): string {
  return `#!KAMAILIO
# Kamailio 5.6 or newer in front of Trunkline workers (serve --roles voice). Written by "trunkline edge config"; change the
# options there and write it again. docs/edge.md explains it.

debug=1
log_stderror=no
children=${settings.children}
auto_aliases=no
server_signature=no
${settings.listen.map((socket) => `listen=${socket}`).join('\n')}
# The socket of a request to a worker is chosen by the route to it.
mhomed=${new Set(settings.listen.map(hostOf)).size > 1 ? 1 : 0}
tcp_connection_lifetime=3605
tcp_accept_no_cl=no
${hasTls(settings) ? 'enable_tls=yes\n' : ''}
${modules(settings)
  .map((name) => `loadmodule "${name}.so"`)
  .join('\n')}

# A worker answers within 200 ms; one that says nothing for three seconds is dead. With less, a busy worker would get a
# call that the next one has as well. Ringing is limited by the workers.
modparam("tm", "fr_timer", 3000)
modparam("tm", "fr_inv_timer", 240000)
modparam("tm", "failure_reply_mode", 3)
# Callers see a 503 as it is, with its Retry-After.
modparam("tm", "remap_503_500", 0)
modparam("rr", "append_fromtag", 1)
modparam("dispatcher", "list_file", "${settings.folder}/dispatcher.list")
modparam("dispatcher", "flags", 2)
modparam("dispatcher", "ds_ping_method", "OPTIONS")
modparam("dispatcher", "ds_ping_interval", 2)
modparam("dispatcher", "ds_probing_mode", 1)
modparam("dispatcher", "ds_probing_threshold", 2)
modparam("dispatcher", "ds_inactive_threshold", 1)
modparam("path", "use_received", 1)
modparam("pike", "sampling_time_unit", 2)
modparam("pike", "reqs_density_per_unit", ${settings.requestsPerSource})
modparam("pike", "remove_latency", 30)
modparam("pipelimit", "timer_interval", 1)
${hasTls(settings) ? `modparam("tls", "config", "${settings.folder}/tls.cfg")\n` : ''}${settings.rtpengine === null ? '' : `modparam("rtpengine", "rtpengine_sock", "${settings.rtpengine}")\n`}
${routingBlocks(settings)}`;
}

const modules = (settings: EdgeSettings): string[] => [
  ...(hasTls(settings) ? ['tls'] : []),
  ...[
    'kex',
    'corex',
    'tm',
    'tmx',
    'sl',
    'rr',
    'pv',
    'xlog',
    'maxfwd',
    'textops',
    'siputils',
    'sanity',
    'nathelper',
    'path',
  ],
  ...['dispatcher', 'pike', 'pipelimit', 'ipops'],
  ...(settings.rtpengine === null ? [] : ['rtpengine']),
];

function workerList({ workers }: EdgeSettings): string {
  return [
    '# group, worker, flags, priority; written by "trunkline edge config"',
    ...workers.map((worker) => `1 sip:${worker} 0 0`),
    '',
  ].join('\n');
}

function tlsSettings({ certificateFile, keyFile }: EdgeSettings): string {
  return `[server:default]
method = TLSv1.2+
verify_certificate = no
require_certificate = no
certificate = ${certificateFile}
private_key = ${keyFile}

[client:default]
method = TLSv1.2+
verify_certificate = yes
require_certificate = yes
ca_list = /etc/ssl/certs/ca-certificates.crt
`;
}
