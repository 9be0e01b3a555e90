/** The frame of every page: header, menu, who is signed in, light or dark, ⌘K. */
import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { spotlight } from '@mantine/spotlight';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { addressOf } from '../api/base.ts';
import { type Session, signedOut } from '../api/queries.ts';
import { request } from '../api/request.ts';
import type { OperatorSection } from '../operator/navigation.ts';
import { MenuLink } from '../parts/links.tsx';
import type { PageSection } from './navigation.ts';
import { ShowAsRequest } from './show-as-request.tsx';

interface FrameProps {
  session: Session;
  sections: readonly (PageSection | OperatorSection)[];
  /** Above every page, such as for whom an operator acts. */
  banner?: ReactNode;
  palette: ReactNode;
  /** Beside the search in the header. */
  tools?: ReactNode;
  reference: string;
}

export function Frame({ session, sections, banner, palette, tools, reference }: FrameProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  // On a phone the menu covers the page, so it closes when another page is opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(close, [pathname]);
  // The menu is longer than most screens: the page that is open stays in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(() => {
    document.querySelector('nav [data-active]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 230, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Menu" />
            <Text fw={700}>Trunkline</Text>
            {session.environment === 'sandbox' && (
              <Badge color="orange" variant="light" visibleFrom="xs">
                Sandbox
              </Badge>
            )}
            {session.operator !== null && (
              <Badge color="grape" variant="light" visibleFrom="xs">
                Operator
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              onClick={spotlight.open}
              rightSection={<Kbd size="xs">⌘K</Kbd>}
              visibleFrom="sm"
            >
              Find
            </Button>
            <ActionIcon variant="default" size={30} aria-label="Find" onClick={spotlight.open} hiddenFrom="sm">
              <Magnifier />
            </ActionIcon>
            {tools}
            <ColorSchemeButton />
            <PersonMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <ScrollArea>
          {sections.map(({ title, pages }) => (
            <div key={title}>
              <Text size="xs" c="dimmed" fw={600} px="sm" mt="sm" mb={4}>
                {title}
              </Text>
              {pages.map(({ to, label }) => (
                <MenuLink
                  key={to}
                  to={to}
                  label={label}
                  activeOptions={{ exact: to === '/' || to === '/operator' }}
                  activeProps={{ 'data-active': true }}
                  styles={{ root: { borderRadius: 'var(--mantine-radius-sm)' } }}
                />
              ))}
            </div>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main>
        <div className="page">
          {banner}
          <Outlet />
          <Group mt="xl" gap="lg">
            <ShowAsRequest />
            <Button component="a" href={addressOf(reference)} variant="transparent" size="xs" px={0}>
              API reference
            </Button>
          </Group>
        </div>
      </AppShell.Main>
      {palette}
    </AppShell>
  );
}

const Magnifier = () => (
  <svg viewBox="0 0 24 24" width={16} height={16} fill="none" stroke="currentColor" strokeWidth={2} aria-hidden="true">
    <circle cx="10.5" cy="10.5" r="6.5" />
    <path d="m15.5 15.5 5 5" strokeLinecap="round" />
  </svg>
);

function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      size={30}
      aria-label={isDark ? 'Light colours' : 'Dark colours'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? '☀' : '☾'}
    </ActionIcon>
  );
}

function PersonMenu({ session: { account, operator, login } }: { session: Session }) {
  const navigate = useNavigate();
  const signOut = async () => {
    await request('DELETE', '/panel/v1/session').catch(() => undefined);
    signedOut();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" maw={160}>
          {operator === null ? account?.name : operator.email.split('@')[0]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{login}</Menu.Label>
        <Menu.Item onClick={() => navigate({ to: '/login' })}>Your login</Menu.Item>
        <Menu.Item onClick={() => navigate({ to: '/sessions' })}>Sessions</Menu.Item>
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
