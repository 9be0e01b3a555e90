/**
 * From a SIP URI to the targets to try, in their order (RFC 3263 4). Names stay with the targets for the check of
 * certificates.
 */
import { isIP } from 'node:net';
import { addressOfHost, type SipUri } from '../message/uri.ts';
import { defaultPort } from '../transport/response-target.ts';
import type { Target, TransportName } from '../transport/wire.ts';
import { transportOf } from './next-hop.ts';
import type { NaptrRecord, Resolver, SrvRecord } from './resolver.ts';

export interface LocateOptions {
  resolver: Resolver;
  /** Transports of this element, the preferred first. */
  transports: readonly TransportName[];
  families: readonly (4 | 6)[];
  /** From 0 to below 1. */
  random: () => number;
}

interface Service {
  transport: TransportName;
  /** Name of the SRV records. */
  name: string;
}

const mostTargets = 16;
const naptrServices = new Map<string, TransportName>([
  ['SIP+D2U', 'UDP'],
  ['SIP+D2T', 'TCP'],
  ['SIPS+D2T', 'TLS'],
]);
const srvPrefixes: Readonly<Record<TransportName, string>> = {
  ...{ UDP: '_sip._udp', TCP: '_sip._tcp', TLS: '_sips._tcp' },
  ...{ WS: '_sip._ws', WSS: '_sips._wss' },
};

export async function locate(uri: SipUri, options: LocateOptions): Promise<Target[]> {
  const host = addressOfHost(uri.parameters.get('maddr') ?? uri.host);
  const named = transportOf(uri);
  if (named !== null && !options.transports.includes(named)) return [];
  const transport = named ?? options.transports[0] ?? 'UDP';
  const port = uri.port ?? defaultPort(transport);
  if (isIP(host) !== 0) return [{ transport, address: host, port }];
  if (uri.port !== null) return addressTargets(host, host, transport, port, options);
  for (const service of await servicesOf(uri, host, named, options)) {
    const targets = await srvTargets(service, host, options);
    if (targets.length > 0) return targets;
  }
  return addressTargets(host, host, transport, port, options);
}

/** A named transport skips NAPTR; without NAPTR records every transport is asked for by SRV. */
async function servicesOf(
  uri: SipUri,
  host: string,
  named: TransportName | null,
  options: LocateOptions,
): Promise<readonly Service[]> {
  const wanted = (transport: TransportName): Service => ({ transport, name: `${srvPrefixes[transport]}.${host}` });
  if (named !== null) return [wanted(named)];
  const records = (await options.resolver.naptr(host)).filter(isUsable(uri, options));
  if (records.length === 0) return options.transports.map(wanted);
  return [...records]
    .sort((one, other) => one.order - other.order || one.preference - other.preference)
    .map(({ service, replacement }) => ({
      transport: naptrServices.get(service.toUpperCase()) ?? 'UDP',
      name: replacement,
    }));
}

function isUsable(uri: SipUri, { transports }: LocateOptions): (record: NaptrRecord) => boolean {
  return ({ flags, service }) => {
    const transport = naptrServices.get(service.toUpperCase());
    const secure = uri.scheme !== 'sips' || transport === 'TLS';
    return flags.toLowerCase() === 's' && transport !== undefined && secure && transports.includes(transport);
  };
}

async function srvTargets({ transport, name }: Service, serverName: string, options: LocateOptions): Promise<Target[]> {
  const records = orderSrv(await options.resolver.srv(name), options.random);
  const targets: Target[] = [];
  for (const { name: host, port } of records) {
    if (targets.length >= mostTargets) break;
    // A single dot says that the service is not offered.
    if (host !== '' && host !== '.')
      targets.push(...(await addressTargets(host, serverName, transport, port, options)));
  }
  return targets.slice(0, mostTargets);
}

async function addressTargets(
  host: string,
  serverName: string,
  transport: TransportName,
  port: number,
  { resolver, families }: LocateOptions,
): Promise<Target[]> {
  if (isIP(host) !== 0) return [{ transport, address: host, port, serverName }];
  const found = await Promise.all(families.map((family) => resolver.addresses(host, family)));
  return found
    .flat()
    .slice(0, mostTargets)
    .map((address) => ({ transport, address, port, serverName }));
}

/** RFC 2782: by priority; within one, drawn by weight, with a small chance for weight 0. */
export function orderSrv(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((one, other) => one - other);
  return priorities.flatMap((priority) =>
    drawByWeight(
      records.filter((record) => record.priority === priority),
      random,
    ),
  );
}

function drawByWeight(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  const left = [...records].sort((one, other) => one.weight - other.weight);
  const drawn: SrvRecord[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    const point = Math.floor(random() * (total + 1));
    let sum = 0;
    const index = left.findIndex(({ weight }) => {
      sum += weight;
      return sum >= point;
    });
    drawn.push(...left.splice(Math.max(index, 0), 1));
  }
  return drawn;
}
