/**
 * Values that ask for a fault by themselves, for tests that cannot call the control interface; and the list of all that
 * can be asked for.
 */
import { type DomainFault, domainFaults, referencePrefix } from '../../../engines/injected-faults.ts';
import { errorTexts } from '../../verification/errors.ts';
import { listScenarios } from '../../verification/sandbox-scenarios.ts';
import { platformErrors } from './named-errors.ts';

interface MagicValues {
  readonly scenario: string;
  readonly description: string;
  /** Numbers that are called or get a message. */
  readonly destinations?: readonly string[];
  /** Numbers that call. */
  readonly callers?: readonly string[];
  /** What `external_reference_id` begins with. */
  readonly references?: readonly string[];
}

/** A US area code that cannot exist, as for test destinations; the last digit is free. */
const callers: Readonly<Record<string, DomainFault>> = {
  '1999555016': 'call.rings_forever',
  '1999555017': 'call.drops',
};

/** The fault that a caller's number asks for. */
export function callerFault(number: string): DomainFault | null {
  return /^\+?\d{11}$/.test(number) ? (callers[number.replace(/^\+/, '').slice(0, 10)] ?? null) : null;
}

const references: Readonly<Record<string, string>> = {
  decline: 'An order is refused with insufficient_balance.',
  pending: domainFaults['order.pending'],
  canceled: domainFaults['order.canceled'],
  stock_gone: domainFaults['order.stock_gone'],
};

export function magicValues(): MagicValues[] {
  return [
    ...listScenarios(),
    ...Object.entries(callers).map(([range, name]) => ({
      scenario: name,
      description: domainFaults[name],
      callers: Array.from({ length: 10 }, (_, last) => `${range}${last}`),
    })),
    ...Object.entries(references).map(([word, description]) => ({
      scenario: `order.${word}`,
      description,
      references: [`${referencePrefix}${word}`],
    })),
  ];
}

/** Names for `POST /sandbox/v1/faults`. */
export const faultNames = () => ({
  faults: Object.entries(domainFaults).map(([name, description]) => ({ name, description })),
  errors: { v3: Object.keys(platformErrors), api_v1: Object.keys(errorTexts) },
});
