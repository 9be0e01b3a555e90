/** Everything that needs attention, with the way to mend it. Opening the page marks all of it as seen. */
import { Alert, Group, Paper, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { showTime } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import { type Notification, useNotifications, useSeen, wordsOf } from '../parts/notifications.tsx';
import { Empty, Page, Waiting } from '../parts/page.tsx';
import { StateBadge } from '../parts/states.tsx';
import { BalanceAlert } from './balance-alert.tsx';

export function Notifications() {
  const notifications = useNotifications();
  const [, see] = useSeen();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `see` is another function each time
  useEffect(() => {
    if (notifications !== undefined) see(notifications.map(({ key }) => key));
  }, [notifications]);
  return (
    <Page title="Notifications" about="What needs your attention now. Each disappears when its cause does.">
      {notifications === undefined && <Waiting />}
      {notifications?.length === 0 && (
        <Paper withBorder>
          <Empty title="Nothing needs your attention">
            Failed callbacks, rejected or expiring paperwork, numbers that end and a low balance appear here.
          </Empty>
        </Paper>
      )}
      <Stack gap="xs" aria-live="polite">
        {notifications?.map((notification) => (
          <Card key={notification.key} notification={notification} />
        ))}
      </Stack>
      <BalanceAlert />
    </Page>
  );
}

function Card({ notification }: { notification: Notification }) {
  const words = wordsOf(notification);
  if (words === null) return null;
  const { title, advice, to, params, search, isUrgent } = words;
  return (
    <Alert color={isUrgent ? 'red' : 'yellow'} variant="light" p="md">
      <Group justify="space-between" gap="sm">
        <Stack gap={2} flex="1 1 260px">
          <Group gap="xs">
            <Text fw={600} size="sm">
              {title}
            </Text>
            <StateBadge word={isUrgent ? 'urgent' : 'soon'} good={isUrgent ? false : null} />
          </Group>
          <Text size="sm">{advice}</Text>
          {notification.at !== null && (
            <Text size="xs" c="dimmed">
              {showTime(notification.at)}
            </Text>
          )}
        </Stack>
        <ButtonLink to={to} params={params ?? {}} search={search ?? {}} variant="default" size="xs">
          Open
        </ButtonLink>
      </Group>
    </Alert>
  );
}
