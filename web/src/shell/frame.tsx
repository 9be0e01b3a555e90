/** The frame of every page: header, menu, who is signed in, in which environment, and ⌘K. */

import { ActionIcon, AppShell, Badge, Burger, Button, Group, Kbd, ScrollArea, UnstyledButton } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { spotlight } from '@mantine/spotlight';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconSearch } from '@tabler/icons-react';
import { Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { PageSection } from '../../../src/interfaces/panel/pages/page-section.ts';
import { addressOf } from '../api/base.ts';
import type { Session } from '../api/queries.ts';
import { WordMark } from '../brand/mark.tsx';
import { RouteLink } from '../parts/links.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { MainMenu } from './main-menu.tsx';
import { ColorSchemeButton, PersonMenu } from './person-menu.tsx';
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
  const [isNarrow, setNarrow] = useLocalStorage({
    key: 'trunkline.menu.narrow',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { pathname } = useLocation();
  const menuRef = useRef<HTMLDivElement>(null);
  // On a phone the menu covers the page, so it closes when another page is opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(close, [pathname]);
  // On low screens the menu scrolls: the page that is open stays in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(() => {
    const [menu, open] = [menuRef.current, menuRef.current?.querySelector('[data-active]')];
    if (!menu || !open) return;
    const [frame, link] = [menu.getBoundingClientRect(), open.getBoundingClientRect()];
    // Not `scrollIntoView`: the first Tab would then go on behind the link, past the one that skips the menu.
    if (link.top < frame.top) menu.scrollTop -= frame.top - link.top;
    if (link.bottom > frame.bottom) menu.scrollTop += link.bottom - frame.bottom;
  }, [pathname]);
  const narrow = isNarrow && !opened;
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: narrow ? 62 : 232, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
      className="shell"
      data-environment={session.environment}
    >
      <a className="skip" href="#content">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Menu" />
            <RouteLink to={session.account === null ? '/operator' : '/'} className="home-link" aria-label="Trunkline">
              <WordMark />
            </RouteLink>
            <EnvironmentSwitch session={session} />
            {session.operator !== null && (
              <Badge color="grape" variant="light">
                Operator
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <UnstyledButton className="find" onClick={spotlight.open} visibleFrom="sm">
              <IconSearch size={15} stroke={1.7} aria-hidden />
              <span>Find anything</span>
              <Kbd size="xs">⌘K</Kbd>
            </UnstyledButton>
            <ActionIcon variant="default" size={30} aria-label="Find" onClick={spotlight.open} hiddenFrom="sm">
              <IconSearch size={16} stroke={1.7} aria-hidden />
            </ActionIcon>
            {tools}
            <ColorSchemeButton />
            <PersonMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <AppShell.Section grow component={ScrollArea} viewportRef={menuRef} scrollbarSize={6}>
          <MainMenu sections={sections} isNarrow={narrow} />
        </AppShell.Section>
        <AppShell.Section visibleFrom="md">
          <ActionIcon
            variant="subtle"
            color="gray"
            size={38}
            aria-label={isNarrow ? 'Wide menu' : 'Narrow menu'}
            onClick={() => setNarrow(!isNarrow)}
          >
            {isNarrow ? (
              <IconLayoutSidebarLeftExpand size={18} stroke={1.7} aria-hidden />
            ) : (
              <IconLayoutSidebarLeftCollapse size={18} stroke={1.7} aria-hidden />
            )}
          </ActionIcon>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="page">
          {banner}
          <Breadcrumbs sections={sections} />
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
