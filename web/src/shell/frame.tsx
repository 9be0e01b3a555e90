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
import { type ReactNode, useEffect, useRef } from 'react';
import type { PageSection } from '../../../src/interfaces/panel/pages/page-section.ts';
import { useAct } from '../api/acts.ts';
import { addressOf } from '../api/base.ts';
import { ApiProblem } from '../api/problems.ts';
import { type Session, signedOut } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { MenuLink } from '../parts/links.tsx';
import { FormError } from '../parts/page.tsx';
import { ShowAsRequest } from './show-as-request.tsx';
import { UnseenErrors } from './unseen-errors.tsx';

interface FrameProps {
  session: Session;
  sections: readonly PageSection[];
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
  const menuRef = useRef<HTMLDivElement>(null);
  // On a phone the menu covers the page, so it closes when another page is opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(close, [pathname]);
  // The menu is longer than most screens: the page that is open stays in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(() => {
    const [menu, open] = [menuRef.current, menuRef.current?.querySelector('[data-active]')];
    if (!menu || !open) return;
    const [frame, link] = [menu.getBoundingClientRect(), open.getBoundingClientRect()];
    // Not `scrollIntoView`: the first Tab would then go on behind the link, past the one that skips the menu.
    if (link.top < frame.top) menu.scrollTop -= frame.top - link.top;
    if (link.bottom > frame.bottom) menu.scrollTop += link.bottom - frame.bottom;
  }, [pathname]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 230, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip" href="#content">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Menu" />
            <Text fw={700} visibleFrom="xs">
              Trunkline
            </Text>
            {session.environment === 'sandbox' && (
              <Badge color="orange" variant="light">
                Sandbox
              </Badge>
            )}
            {session.operator !== null && (
              <Badge color="grape" variant="light">
                Operator
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap" miw={0}>
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
        <ScrollArea viewportRef={menuRef}>
          {sections.map(({ title, pages }) => (
            <div key={title}>
              <Text size="xs" c="dimmed" fw={600} px="sm" mt="sm" mb={4}>
                {title}
              </Text>
              {pages.map(({ path, label }) => (
                <MenuLink
                  key={path}
                  to={path}
                  label={label}
                  activeOptions={{ exact: path === '/' || path === '/operator' }}
                  activeProps={{ 'data-active': true }}
                  styles={{ root: { borderRadius: 'var(--mantine-radius-sm)' } }}
                />
              ))}
            </div>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
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
      <UnseenErrors />
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

function useOtherColors() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return {
    label: isDark ? 'Light colours' : 'Dark colours',
    sign: isDark ? '☀' : '☾',
    choose: () => setColorScheme(isDark ? 'light' : 'dark'),
  };
}

/** On a phone it is in the person's menu: the badges of the environment need the room. */
function ColorSchemeButton() {
  const { label, sign, choose } = useOtherColors();
  return (
    <ActionIcon variant="default" size={30} aria-label={label} onClick={choose} visibleFrom="xs">
      {sign}
    </ActionIcon>
  );
}

/** A session that has already ended needs no signing out. */
function isOver(error: unknown): void {
  if (!(error instanceof ApiProblem && error.status === 401)) throw error;
}

function PersonMenu({ session: { account, operator, login } }: { session: Session }) {
  const navigate = useNavigate();
  const colors = useOtherColors();
  const leave = useAct((send) => send('DELETE', pathWith('/panel/v1/session')).catch(isOver), signedOut);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" maw={160} miw={44}>
          {operator === null ? account?.name : operator.email.split('@')[0]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{login}</Menu.Label>
        <Menu.Item onClick={() => navigate({ to: '/login' })}>Your login</Menu.Item>
        <Menu.Item onClick={() => navigate({ to: '/sessions' })}>Sessions</Menu.Item>
        <Menu.Item hiddenFrom="xs" onClick={colors.choose}>
          {colors.label}
        </Menu.Item>
        <Menu.Item closeMenuOnClick={false} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
        <FormError text={leave.error?.message} />
      </Menu.Dropdown>
    </Menu>
  );
}
