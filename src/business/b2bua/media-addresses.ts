/** Addresses for media: those that SIP is bound to, and what parties are told instead of them. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { OperatorError } from '../../base/operator-error.ts';
import type { MediaConfig } from './media-settings.ts';
import type { SipConfig } from './sip-settings.ts';
import { addressOf, isEveryAddress, machineAddress } from './wires.ts';

interface MediaAddresses {
  readonly bound: readonly string[];
  /** At most one for each family. */
  readonly advertised: readonly string[];
}

/** Descriptions have addresses: an advertised name is looked up here, once. */
export async function mediaAddresses(sip: SipConfig, { advertised: own }: MediaConfig): Promise<MediaAddresses> {
  const bound = await Promise.all(sip.hosts.map(addressOf));
  const names = (own.length > 0 ? own : sip.advertised).map(({ host }) => host);
  const told = await Promise.all(bound.map((host) => toldFor(host, names)));
  const advertised = told.filter((address) => address !== null);
  if (names.length > 0 && advertised.length === 0) {
    const variable = own.length > 0 ? 'TRUNKLINE_MEDIA_ADVERTISED' : 'TRUNKLINE_SIP_ADVERTISED';
    throw new OperatorError(
      `${variable} ${names.join(',')} leads to no address of the kind that is bound (${bound.join(', ')}), ` +
        'so parties cannot be told where to send media; set addresses in TRUNKLINE_MEDIA_ADVERTISED.',
    );
  }
  return {
    bound,
    advertised: bound.flatMap((host, at) => told[at] ?? (isEveryAddress(host) ? machineAddress(familyOf(host)) : [])),
  };
}

async function toldFor(host: string, names: readonly string[]): Promise<string | null> {
  const family = familyOf(host);
  const found = names.find((name) => isIP(name) === 0 || isIP(name) === family);
  if (found === undefined || isIP(found) !== 0) return found ?? null;
  return lookup(found, { family }).then(
    ({ address }) => address,
    () => null,
  );
}

const familyOf = (address: string): 4 | 6 => (isIP(address) === 6 ? 6 : 4);
