/** The frame of every page: menu, who is signed in, light or dark, ⌘K. */
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
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { addressOf } from '../api/base.ts';
import { type Session, signedOut, useSession } from '../api/queries.ts';
import { request } from '../api/request.ts';
import { MenuLink } from '../parts/links.tsx';
import { Failure, Waiting } from '../parts/page.tsx';
import { CommandPalette } from './command-palette.tsx';
import { sections } from './navigation.ts';
import { ShowAsRequest } from './show-as-request.tsx';
import { SignIn } from './sign-in.tsx';

export function Shell() {
  const session = useSession();
  if (session.isPending) return <Waiting />;
  if (session.error) return <Failure error={session.error} retry={() => session.refetch()} />;
  if (session.data === null || session.data === undefined) return <SignIn />;
  return <SignedIn session={session.data} />;
}

function SignedIn({ session }: { session: Session }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  // On a phone the menu covers the page, so it closes when another page is opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(close, [pathname]);
  const shown = sections.filter(({ sandboxOnly }) => !sandboxOnly || session.environment === 'sandbox');
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
            <ColorSchemeButton />
            <AccountMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <ScrollArea>
          {shown.map(({ title, pages }) => (
            <div key={title}>
              <Text size="xs" c="dimmed" fw={600} px="sm" mt="sm" mb={4}>
                {title}
              </Text>
              {pages.map(({ to, label }) => (
                <MenuLink
                  key={to}
                  to={to}
                  label={label}
                  activeOptions={{ exact: to === '/' }}
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
          <Outlet />
          <Group mt="xl" gap="xs">
            <ShowAsRequest />
            <Button component="a" href={addressOf('/docs')} variant="subtle" size="xs">
              API reference
            </Button>
          </Group>
        </div>
      </AppShell.Main>
      <CommandPalette pages={shown.flatMap(({ pages }) => pages)} />
    </AppShell>
  );
}

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

function AccountMenu({ session: { account } }: { session: Session }) {
  const signOut = async () => {
    await request('DELETE', '/panel/v1/session').catch(() => undefined);
    signedOut();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" maw={160}>
          {account.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{account.email}</Menu.Label>
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
