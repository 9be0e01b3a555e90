/** What needs attention, in words and with the way to mend it; and which of it this browser has shown already. */

import { useLocalStorage } from '@mantine/hooks';
import { useFallback } from '../api/live.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith, type ReadOf } from '../api/routes.ts';
import { onDate, showMoney, showTime } from './format.ts';

/** Its `key` is another one when there is something new about the same thing. */
export type Notification = ReadOf<'/panel/v1/notifications'>['notifications'][number];

interface Words {
  title: string;
  /** What to do about it. */
  advice: string;
  to: string;
  params?: { id: string };
  search?: Record<string, string>;
  /** Whether something does not work already. */
  isUrgent: boolean;
}

const numbers = (count: number): string => (count === 1 ? 'One number' : `${count.toLocaleString('en-GB')} numbers`);
const are = (count: number): string => (count === 1 ? 'is' : 'are');

const streams: Readonly<Record<string, string>> = {
  voice_in_events: 'Inbound events',
  voice_out_events: 'Outbound events',
  voice_in_cdr: 'Inbound records',
  voice_out_cdr: 'Outbound records',
};

const words: Readonly<Record<string, (notification: Notification) => Words>> = {
  no_money: () => ({
    title: 'There is no money left',
    advice:
      'Numbers that fall due are not renewed, and calls that cost money are refused. Ask the operator for a top-up.',
    to: '/statements',
    isUrgent: true,
  }),
  low_balance: ({ about }) => ({
    title: `The balance is below ${showMoney(about ?? '0')}`,
    advice: 'That is the threshold you have set. Top up before renewals fall due.',
    to: '/statements',
    isUrgent: false,
  }),
  numbers_await_registration: ({ count }) => ({
    title: `${numbers(count)} ${count === 1 ? 'waits' : 'wait'} for registration`,
    advice: 'They take no calls before their paperwork is approved.',
    to: '/registrations/new',
    isUrgent: true,
  }),
  numbers_blocked: ({ count }) => ({
    title: `${numbers(count)} ${are(count)} blocked by the operator`,
    advice: 'They take no calls. Ask the operator why.',
    to: '/numbers',
    search: { blocked: 'true' },
    isUrgent: true,
  }),
  numbers_end: ({ count, at }) => ({
    title: `${numbers(count)} ${count === 1 ? 'ends' : 'end'}${onDate('from', at, ' on')}`,
    advice: 'You have cancelled them. Until then they can be kept.',
    to: '/numbers',
    search: { terminated: 'true' },
    isUrgent: false,
  }),
  numbers_expired: ({ count }) => ({
    title: `${numbers(count)} could not be renewed`,
    advice: 'Each can be restored within 34 days.',
    to: '/numbers',
    isUrgent: true,
  }),
  registration_rejected: ({ about, id }) => ({
    title: `Registration ${about} was rejected`,
    advice: 'See what the reviewer says, mend it and register again.',
    to: '/registrations/$id',
    params: { id: id ?? '' },
    isUrgent: true,
  }),
  emergency_rejected: ({ about }) => ({
    title: `Emergency calling ${about} was rejected`,
    advice: 'Correct the address and submit it again.',
    to: '/emergency',
    isUrgent: true,
  }),
  document_expires: ({ about, at, id }) => ({
    title: `${about} expires${onDate('on', at) || ' soon'}`,
    advice: 'Store a new one with the identity before then.',
    to: '/identities/$id',
    params: { id: id ?? '' },
    isUrgent: false,
  }),
  document_expired: ({ about, at, id }) => ({
    title: `${about} has expired${onDate('on', at)}`,
    advice: 'It no longer counts for registrations. Store a new one with the identity.',
    to: '/identities/$id',
    params: { id: id ?? '' },
    isUrgent: true,
  }),
  callbacks_failed: ({ count }) => ({
    title: count === 1 ? 'One callback has failed' : `${count.toLocaleString('en-GB')} callbacks have failed`,
    advice: 'In the last 7 days. See what your receiver responded, and send them again.',
    to: '/callbacks',
    search: { status: 'failed' },
    isUrgent: false,
  }),
  events_not_accepted: ({ about, at }) => ({
    title: `${streams[about ?? ''] ?? 'Events'} are not accepted by your receiver`,
    advice: at === null ? 'They are tried again.' : `The next attempt is at ${showTime(at)}.`,
    to: '/events',
    search: { stream: about ?? '' },
    isUrgent: true,
  }),
  key_ends: ({ about, at }) => ({
    title: `The API key “${about}” ends${onDate('on', at) || ' soon'}`,
    advice: 'Replace it before your program is refused.',
    to: '/keys',
    isUrgent: false,
  }),
};

/** Null for a kind that this page does not know. */
export const wordsOf = (notification: Notification): Words | null => words[notification.kind]?.(notification) ?? null;

/** What needs attention now; undefined while it is read. */
export function useNotifications(): readonly Notification[] | undefined {
  const read = useRead(pathWith('/panel/v1/notifications'), useFallback(60_000));
  return read.data?.notifications.filter((notification) => wordsOf(notification) !== null);
}

/** Keys of what this browser has shown, and a function that adds to them. */
export function useSeen(): [ReadonlySet<string>, (keys: readonly string[]) => void] {
  const { data: session } = useSession();
  const [seen, setSeen] = useLocalStorage<readonly string[]>({
    key: `trunkline.seen.${session?.environment}.${session?.account?.id}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return [
    new Set(seen),
    (keys) => {
      if (keys.some((key) => !seen.includes(key))) setSeen(keys);
    },
  ];
}
