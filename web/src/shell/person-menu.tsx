/** Who is signed in, light or dark, and signing out. */
import { ActionIcon, Button, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useAct } from '../api/acts.ts';
import { ApiProblem } from '../api/problems.ts';
import { type Session, signedOut } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { FormError } from '../parts/page.tsx';

function useOtherColors() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return {
    label: isDark ? 'Light colours' : 'Dark colours',
    Icon: isDark ? IconSun : IconMoon,
    choose: () => setColorScheme(isDark ? 'light' : 'dark'),
  };
}

/** On a phone it is in the person's menu: the environment needs the room. */
export function ColorSchemeButton() {
  const { label, Icon, choose } = useOtherColors();
  return (
    <ActionIcon variant="default" size={30} aria-label={label} onClick={choose} visibleFrom="xs">
      <Icon size={16} stroke={1.7} aria-hidden />
    </ActionIcon>
  );
}

/** A session that has already ended needs no signing out. */
function isOver(error: unknown): void {
  if (!(error instanceof ApiProblem && error.status === 401)) throw error;
}

export function PersonMenu({ session: { account, operator, login } }: { session: Session }) {
  const navigate = useNavigate();
  const colors = useOtherColors();
  const leave = useAct((send) => send('DELETE', pathWith('/panel/v1/session')).catch(isOver), signedOut);
  const name = operator === null ? (account?.name ?? '') : (operator.email.split('@')[0] ?? '');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" h={30} px={6} maw={170} miw={30} aria-label={name}>
          <span className="person-letter" data-letter={name.slice(0, 1).toUpperCase()} aria-hidden="true" />
          <span className="person-name">{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{login}</Menu.Label>
        <Menu.Item leftSection={<IconUserCircle size={16} />} onClick={() => navigate({ to: '/login' })}>
          Your login
        </Menu.Item>
        <Menu.Item leftSection={<IconDeviceDesktop size={16} />} onClick={() => navigate({ to: '/sessions' })}>
          Sessions
        </Menu.Item>
        <Menu.Item hiddenFrom="xs" leftSection={<colors.Icon size={16} />} onClick={colors.choose}>
          {colors.label}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} closeMenuOnClick={false} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
        <FormError text={leave.error?.message} />
      </Menu.Dropdown>
    </Menu>
  );
}
