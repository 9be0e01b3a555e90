/**
 * The mark: two lines that become one trunk, one of them live; and the mark with the name, for which a phone has no
 * room.
 */
import { Group, Text } from '@mantine/core';

export const Mark = ({ size = 22 }: { size?: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="mark">
    <rect width="32" height="32" rx="8" />
    <g fill="none" strokeWidth="3" strokeLinecap="round">
      <path d="M6.5 9.5h3.6c3.3 0 5.9 2.6 5.9 5.9V25" />
      <path d="M22 9.5h-.1c-3.3 0-5.9 2.6-5.9 5.9" />
    </g>
    <circle cx="24.6" cy="9.5" r="2.9" />
  </svg>
);

export const WordMark = ({ size = 22 }: { size?: number }) => (
  <Group gap={size * 0.36} wrap="nowrap">
    <Mark size={size} />
    <Text span visibleFrom="xs" fw={640} fz={size * 0.77} lts="-0.025em" lh={1}>
      Trunkline
    </Text>
  </Group>
);
