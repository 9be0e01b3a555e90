/** States of records as badges: always a word, never a colour alone. */
import { Badge } from '@mantine/core';
import type { Call, Did, Order } from '../api/documents.ts';

const orderColors = { pending: 'yellow', completed: 'teal', canceled: 'gray' } as const;

export const OrderStatus = ({ status }: { status: Order['attributes']['status'] }) => (
  <Badge variant="light" color={orderColors[status]}>
    {status}
  </Badge>
);

export const CallResult = ({ call }: { call: Pick<Call['attributes'], 'success' | 'disconnect_code'> }) => (
  <Badge variant="light" color={call.success ? 'teal' : 'red'}>
    {call.success ? 'answered' : `failed ${call.disconnect_code}`}
  </Badge>
);

const reviewColors = { pending: 'yellow', approved: 'teal', rejected: 'red' } as const;

export const ReviewStatus = ({ status }: { status: keyof typeof reviewColors }) => (
  <Badge variant="light" color={reviewColors[status]}>
    {status}
  </Badge>
);

/** A word with the colour of its meaning. */
export const StateBadge = ({ word, good }: { word: string; good: boolean | null }) => (
  <Badge variant="light" color={good === null ? 'gray' : good ? 'teal' : 'red'}>
    {word}
  </Badge>
);

/** The one thing that matters most about a number. */
export function didState({ attributes }: Did): { word: string; color: string } {
  if (attributes.awaiting_registration) return { word: 'unregistered', color: 'yellow' };
  if (attributes.blocked) return { word: 'blocked', color: 'red' };
  if (attributes.terminated) return { word: 'ending', color: 'gray' };
  return { word: 'active', color: 'teal' };
}

export const DidState = ({ did }: { did: Did }) => {
  const { word, color } = didState(did);
  return (
    <Badge variant="light" color={color}>
      {word}
    </Badge>
  );
};

/** What became of a call event. */
export const isSettled: Readonly<Record<string, boolean>> = { delivered: true, failed: false };

/** The type that the body of a call event names. */
export const eventType = (body: string): string => /"type":\s*"([^"]+)"/.exec(body)?.[1] ?? 'event';
