/** Opens the SIP ports of an environment: UDP and TCP with the same number on every address, and TLS. */
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { OperatorError } from '../../base/operator-error.ts';
import { openStreamWire, type TlsOptions } from '../../engines/sip/transport/stream-wire.ts';
import { openUdpWire } from '../../engines/sip/transport/udp-wire.ts';
import { familyOf, type Received, type Wire } from '../../engines/sip/transport/wire.ts';
import type { AdvertisedAddress, SipConfig, SipPorts } from './sip-settings.ts';

/** A port that is taken by another program. */
export class PortTaken extends OperatorError {}

/** How often another free port is chosen if TCP finds the one of UDP taken. */
const mostTries = 20;

/** All of them, or none: if one cannot be opened the others are closed again. */
export async function openWires(config: SipConfig, ports: SipPorts, received: Received): Promise<Wire[]> {
  const hosts = await Promise.all(config.hosts.map(addressOf));
  for (let tries = 1; ; tries++) {
    const wires: Wire[] = [];
    try {
      await openDatagramsAndStreams(hosts, ports.port, received, wires);
      await openSecure(hosts, ports.tlsPort, config, received, wires);
      return wires;
    } catch (error) {
      await Promise.all(wires.map((wire) => wire.close()));
      if (!(error instanceof PortTaken && ports.port === 0 && tries < mostTries)) throw error;
    }
  }
}

/** The first socket chooses the port if any will do. */
async function openDatagramsAndStreams(
  hosts: readonly string[],
  port: number,
  received: Received,
  wires: Wire[],
): Promise<void> {
  for (const host of hosts) {
    for (const open of [openUdpWire, openStreamWire]) {
      const chosen = port === 0 ? (wires[0]?.port ?? 0) : port;
      wires.push(await opened(open({ host, port: chosen }, received), host, chosen));
    }
  }
}

/**
 * Without a port for TLS one is opened all the same, without a certificate: calls out use it, and nobody can connect to
 * it.
 */
async function openSecure(
  hosts: readonly string[],
  port: number | null,
  config: SipConfig,
  received: Received,
  wires: Wire[],
): Promise<void> {
  const tls = await tlsOptions(config, port !== null);
  for (const host of hosts) {
    const chosen = !port ? (wires.find(({ transport }) => transport === 'TLS')?.port ?? 0) : port;
    wires.push(await opened(openStreamWire({ host, port: chosen, tls }, received), host, chosen));
  }
}

async function tlsOptions(
  { certificateFile, keyFile, authoritiesFile }: SipConfig,
  isServed: boolean,
): Promise<TlsOptions> {
  const own =
    certificateFile !== null && keyFile !== null
      ? { cert: await readPem(certificateFile), key: await readPem(keyFile) }
      : undefined;
  return {
    server: isServed ? (own ?? {}) : {},
    ...(own && { client: own }),
    ...(authoritiesFile !== null && { ca: await readPem(authoritiesFile) }),
  };
}

async function readPem(file: string | null): Promise<string> {
  try {
    return await readFile(file ?? '', 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new OperatorError(`The file ${file} for SIP over TLS cannot be read: ${reason}.`);
  }
}

export async function addressOf(host: string): Promise<string> {
  if (isIP(host) !== 0) return host;
  return (await lookup(host)).address;
}

async function opened(wire: Promise<Wire>, host: string, port: number): Promise<Wire> {
  try {
    return await wire;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE') {
      throw new PortTaken(`SIP port ${port} on ${host} is taken by another program; choose another, 0 or off.`);
    }
    if (code === 'EACCES') throw new OperatorError(`This user may not open SIP port ${port} on ${host}.`);
    if (code === 'EADDRNOTAVAIL')
      throw new OperatorError(`TRUNKLINE_SIP_HOST ${host} is not an address of this machine.`);
    if (String(code).startsWith('ERR_OSSL') || String(code).startsWith('ERR_TLS')) {
      throw new OperatorError(
        'TRUNKLINE_SIP_CERTIFICATE and TRUNKLINE_SIP_KEY do not belong together or are no PEM files.',
      );
    }
    throw error;
  }
}

/**
 * What peers see of a wire. The bound address, unless one is advertised for its family (a name stands for both) or all
 * addresses are bound: then the first address of the machine that others can reach.
 */
export function advertisedFor(
  wire: Wire,
  host: string,
  advertised: readonly AdvertisedAddress[],
): { host: string; port?: number } {
  const chosen = advertised.find((one) => isIP(one.host) === 0 || familyOf(one.host) === wire.family);
  // An advertised port is that of UDP and TCP; TLS has its own.
  if (chosen)
    return { host: chosen.host, ...(chosen.port !== null && wire.transport !== 'TLS' && { port: chosen.port }) };
  return { host: isEveryAddress(host) ? machineAddress(wire.family) : host };
}

/** Where peers reach this machine. */
export function advertisedHost({ hosts, advertised }: Pick<SipConfig, 'hosts' | 'advertised'>): string {
  const [host = '127.0.0.1'] = hosts;
  return advertised[0]?.host ?? (isEveryAddress(host) ? machineAddress(host === '::' ? 6 : 4) : host);
}

export const isEveryAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

export function machineAddress(family: 4 | 6): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.find((one) => one.family === `IPv${family}` && !one.internal && !one.address.startsWith('fe80'));
  return usable?.address ?? (family === 6 ? '::1' : '127.0.0.1');
}

/** The address of loopback among those that are bound; null if there is none. */
export function loopbackOf(hosts: readonly string[]): string | null {
  if (hosts.some((host) => ['127.0.0.1', '0.0.0.0', 'localhost'].includes(host))) return '127.0.0.1';
  return hosts.some((host) => host === '::1' || host === '::') ? '::1' : null;
}
