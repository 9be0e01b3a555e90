/**
 * Decides which addresses calls may be sent to. The hosts of trunks come from customers, those of carriers from the
 * operator.
 */
import type { EnvironmentName } from '../../engines/environment.ts';
import { type AddressPolicy, addressPolicy, rangeList } from '../../engines/outbound/address-policy.ts';

export interface DialPolicy {
  /** `owner`: whose setting named the address. */
  allows(address: string, owner: 'customer' | 'operator'): boolean;
}

const isPublic = addressPolicy({ allowEverything: false, allowedRanges: [] });

/**
 * In production the operator may name any address; customers may name those that their callbacks may reach. In the
 * sandbox no call reaches a public address; `customers` narrows it further where strangers can reach the sandbox.
 */
export function dialPolicy(name: EnvironmentName, customers: AddressPolicy): DialPolicy {
  const forCustomers = (address: string) => customers.allows(address);
  if (name === 'production') return { allows: (address, owner) => owner === 'operator' || forCustomers(address) };
  return {
    allows: (address, owner) => !isPublic.allows(address) && (owner === 'operator' || forCustomers(address)),
  };
}

const loopback = rangeList(['127.0.0.0/8', '::1']);

export const isLoopback = (address: string): boolean =>
  loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
