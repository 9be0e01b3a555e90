/** The bell in the header: how much needs attention that this browser has not shown yet; it opens the list. */
import { Indicator } from '@mantine/core';
import { IconLink } from '../parts/links.tsx';
import { useNotifications, useSeen } from '../parts/notifications.tsx';

export function Bell() {
  const notifications = useNotifications() ?? [];
  const [seen] = useSeen();
  const fresh = notifications.filter(({ key }) => !seen.has(key)).length;
  return (
    <Indicator label={fresh} size={16} disabled={fresh === 0} color="red" offset={3}>
      <IconLink
        to="/notifications"
        variant="default"
        size={30}
        aria-label={fresh === 0 ? 'Notifications' : `Notifications: ${fresh} new`}
      >
        <svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
          <path
            d="M18 8a6 6 0 0 0-12 0c0 7-3 8-3 8h18s-3-1-3-8M10 20a2 2 0 0 0 4 0"
            strokeWidth="2"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
      </IconLink>
    </Indicator>
  );
}
