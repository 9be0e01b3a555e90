/** The registered address of an emergency caller for the carrier that takes the call. It is personal data: never stored or logged. */
import { quote } from '../sip/message/text.ts';
import type { EmergencyCaller } from '../voice/outbound/decide.ts';
import type { HeaderLine } from './reason.ts';

/** One header with the parts of the address as parameters; carriers that need another form map it at their edge. */
export function emergencyHeaders({ number, country, address }: EmergencyCaller): HeaderLine[] {
  const priority: HeaderLine[] = [
    ['Priority', 'emergency'],
    ['Resource-Priority', 'esnet.1'],
  ];
  if (address === null) return priority;
  const parts = Object.entries(address)
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${quote(String(value))}`,
    );
  return [...priority, ['X-Emergency-Address', [`+${number}`, `caller-country=${country}`, ...parts].join(';')]];
}
