/** The bell in the header: how much needs attention that this browser has not shown yet; it opens the list. */
import { Indicator } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { IconLink } from '../parts/links.tsx';
import { useNotifications, useSeen } from '../parts/notifications.tsx';

export function Bell() {
  const notifications = useNotifications() ?? [];
  const [seen] = useSeen();
  const fresh = notifications.filter(({ key }) => !seen.has(key)).length;
  return (
    <Indicator label={fresh} size={16} disabled={fresh === 0} color="red" offset={5}>
      <IconLink
        to="/notifications"
        variant="default"
        size={30}
        aria-label={fresh === 0 ? 'Notifications' : `Notifications: ${fresh} new`}
      >
        <IconBell size={16} stroke={1.7} aria-hidden />
      </IconLink>
    </Indicator>
  );
}
