/** How times, numbers and money are written. */
import { groupNumber } from './phone-number.ts';

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const distance = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });

export const showTime = (iso: string): string => dateTime.format(new Date(iso));
export const showDate = (iso: string): string => date.format(new Date(iso));
/** A day of a chart, such as `2026-11-19`: 19 Nov. */
export const showDay = (day: string): string => shortDay.format(new Date(`${day}T00:00:00Z`));
/** How far a time lies from another: in 30 days, 5 minutes ago. */
export function showDistance(iso: string, now: number): string {
  const seconds = (new Date(iso).getTime() - now) / 1_000;
  const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? (['second', 1] as const);
  return unit === 'second' ? 'just now' : distance.format(Math.round(seconds / size), unit);
}

const units = [
  ['year', 31_536_000],
  ['month', 5_184_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** In a cell of a table, which may be empty; a sentence says in words what is not there. */
export const dateOrDash = (iso: string | null): string => (iso === null ? '–' : showDate(iso));
export const timeOrDash = (iso: string | null): string => (iso === null ? '–' : showTime(iso));
/** Digits as a number in groups; what is none, such as the user of a SIP address, stays as it is. */
export const showNumber = (digits: string): string => (/^\d+$/.test(digits) ? groupNumber(digits) : digits);
/** The name of a record, which may be a number, or those of a call: `13325550100 → +4930123456`. */
export function showLabel(label: string): string {
  const ends = label.split(' → ');
  if (ends.length === 1 && !/^\+\d+$/.test(label)) return label;
  return ends.map((end) => showNumber(end.replace(/^\+(?=\d+$)/, ''))).join(' → ');
}

/** As an amount is typed: two decimals unless it has more, without a currency. */
export function showAmount(amount: string): string {
  const [whole = '0', fraction = ''] = amount.replace(/^-/, '').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${amount.startsWith('-') ? '−' : ''}${grouped}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** The install's, from the session. */
let currencySign = '';

/** Said once, before a page shows an amount. */
export function setCurrency(code: string): void {
  const parts = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'narrowSymbol',
  }).formatToParts(0);
  const sign = parts.find(({ type }) => type === 'currency')?.value ?? code;
  currencySign = /[A-Z]$/.test(sign) ? `${sign}\u00a0` : sign;
}

/** With its currency: `$1,234.50`, `−€3.00`, `CHF 0.0125`. */
export function showMoney(amount: string): string {
  const shown = showAmount(amount);
  return shown.startsWith('−') ? `−${currencySign}${shown.slice(1)}` : `${currencySign}${shown}`;
}

/** Adds decimal amounts exactly, in ten-thousandths. */
export function sumMoney(amounts: readonly { amount: string; times: number }[]): string {
  const total = amounts.reduce((sum, { amount, times }) => sum + scaled(amount) * BigInt(times), 0n);
  const text = String(total < 0n ? -total : total).padStart(5, '0');
  return `${total < 0n ? '-' : ''}${text.slice(0, -4)}.${text.slice(-4).replace(/0{1,2}$/, '')}`;
}

function scaled(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.replace(/^-/, '').split('.');
  const size = BigInt(whole + fraction.padEnd(4, '0').slice(0, 4));
  return amount.startsWith('-') ? -size : size;
}

export function showSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** A preposition with its date, for a sentence in which both may be missing: " from 3 May 2026", or nothing. */
export const onDate = (before: string, iso: string | null, after = ''): string =>
  iso === null ? '' : ` ${before} ${showDate(iso)}${after}`;

/** A word of the interface as people write it: `channels_assigned` is "Channels assigned". */
export function showWords(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replace(/\b(sms|p2p|a2p|t38|cnam|api|tls|cli|vat|id)\d?\b/g, (word) => abbreviations[word] ?? word);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const abbreviations: Readonly<Record<string, string>> = {
  sms: 'SMS',
  p2p: 'P2P',
  a2p: 'A2P',
  t38: 'T.38 fax',
  cnam: 'CNAM',
  api3: 'API',
  tls: 'TLS',
  cli: 'CLI',
  vat: 'VAT',
  id: 'ID',
};

/** What an item of an order is; others are charges of the operator. */
export const itemWords: Readonly<Record<string, string>> = {
  did_order_items: 'Numbers',
  capacity_order_items: 'Channels',
  emergency_order_items: 'Emergency calling',
};
