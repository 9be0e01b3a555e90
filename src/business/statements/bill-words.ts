/** What lines of bills are called. */
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { shownCause } from './statement-pdf.ts';

/** An item of an order, and what it is about. */
export interface Item {
  order_id: string;
  type: string;
  qty: number;
  nrc: string;
  mrc: string;
  nrc_vat: string;
  mrc_vat: string;
  billed_from: string | null;
  billed_to: string | null;
  numbers: string[];
  place: string | null;
  pool: string | null;
}

/** The most numbers that a line names. */
export const mostNamed = 10;

const metered: Readonly<Record<string, string>> = {
  'metered_minutes metered': 'Inbound calls, metered minutes',
  'metered_minutes toll_free': 'Inbound calls to toll-free numbers',
  'call_charge pstn': 'Forwarding of calls to the telephone network',
  'call_charge cnam': "Look-ups of callers' names",
  'call_charge ': 'Outbound calls',
  'verification_fee ': 'Verifications',
  'verification_message ': 'Messages with codes',
};

export const meteredText = (cause: string, occasion: string): string =>
  metered[`${cause} ${occasion}`] ?? metered[`${cause} `] ?? capital(shownCause(cause));

export function itemText({ type, qty, numbers, place, pool }: Item, orderDescription: string | null): string {
  if (type === 'did_order_items') return numberText(numbers, qty, place);
  if (type === 'capacity_order_items') return pool === null ? 'Channels' : `Channels, ${pool}`;
  if (type === 'emergency_order_items') return 'Emergency calling';
  return orderDescription ?? 'Services';
}

/** `Number +44 20 7946 0000, London`, or how many there are and which. */
export function numberText(numbers: readonly string[], qty: number, place: string | null): string {
  const named = numbers.slice(0, mostNamed).map(spaced);
  const at = place === null ? '' : `, ${place}`;
  if (qty === 1) return `${['Number', ...named].join(' ')}${at}`;
  const rest = qty - named.length;
  const list = [...named, ...(rest > 0 && named.length > 0 ? [`and ${rest} more`] : [])];
  return `Numbers${at}${list.length === 0 ? '' : `: ${list.join(', ')}`}`;
}

/** The number in the description of a renewal, whose record may be gone. */
export const orderNumber = (description: string | null): string | null =>
  /^DID (?:renewal|restoration) (\d+)$/.exec(description ?? '')?.[1] ?? null;

const spaced = (number: string): string =>
  parsePhoneNumberFromString(`+${number}`)?.formatInternational() ?? `+${number}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
