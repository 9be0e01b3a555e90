/** What needs somebody now, the most urgent first, each with what to do about it; the rest is on a page of its own. */
import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconChevronRight, IconClock } from '@tabler/icons-react';
import { RouteLink } from '../parts/links.tsx';
import { useNotifications, wordsOf } from '../parts/notifications.tsx';

const mostShown = 4;

export function Attention() {
  const notifications = useNotifications() ?? [];
  const known = notifications.flatMap((notification) => {
    const words = wordsOf(notification);
    return words ? [{ key: notification.key, ...words }] : [];
  });
  if (known.length === 0) return null;
  const shown = known.toSorted((one, other) => Number(other.isUrgent) - Number(one.isUrgent)).slice(0, mostShown);
  return (
    <Paper withBorder component="section" aria-label="Needs attention">
      <Group justify="space-between" px="md" pt="sm" pb={4}>
        <Group gap={8}>
          <Title order={2} size="h5">
            Needs attention
          </Title>
          <Badge variant="light" color="yellow" size="sm">
            {known.length}
          </Badge>
        </Group>
        {known.length > mostShown && <RouteLink to="/notifications">{`${known.length - mostShown} more`}</RouteLink>}
      </Group>
      <Stack gap={0} pb={6}>
        {shown.map(({ key, title, advice, to, params, search, isUrgent }) => (
          <RouteLink key={key} to={to} params={params ?? {}} search={search ?? {}} className="attention-row">
            {isUrgent ? (
              <IconAlertTriangle size={17} stroke={1.8} aria-hidden className="urgent" />
            ) : (
              <IconClock size={17} stroke={1.8} aria-hidden />
            )}
            <span className="attention-words">
              <strong>{title}</strong>
              <Text span size="sm" c="dimmed">
                {advice}
              </Text>
            </span>
            <IconChevronRight size={15} aria-hidden />
          </RouteLink>
        ))}
      </Stack>
    </Paper>
  );
}
