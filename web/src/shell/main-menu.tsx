/**
 * The menu: sections by what people come for, whose pages appear when they are opened. What is open is remembered, and
 * so is whether the menu is narrow: icons then, each with a menu of its own.
 */
import { ActionIcon, Collapse, Menu, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import { useLocation, useNavigate } from '@tanstack/react-router';
import type { PageSection } from '../../../src/interfaces/panel/pages/page-section.ts';
import { MenuLink } from '../parts/links.tsx';
import { placeOf } from './place.ts';
import { sectionIcons } from './section-icons.ts';

interface MainMenuProps {
  sections: readonly PageSection[];
  isNarrow: boolean;
}

export function MainMenu({ sections, isNarrow }: MainMenuProps) {
  const { pathname } = useLocation();
  const current = placeOf(sections, pathname)?.section.title;
  const [open, setOpen] = useLocalStorage<Readonly<Record<string, boolean>>>({
    key: 'trunkline.menu',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  if (isNarrow) {
    return sections.map((section) => (
      <NarrowSection key={section.title} section={section} isCurrent={section.title === current} />
    ));
  }
  return sections.map((section) => (
    <Section
      key={section.title}
      section={section}
      isCurrent={section.title === current}
      isOpen={open[section.title] ?? section.title === current}
      setOpen={(isOpen) => setOpen({ ...open, [section.title]: isOpen })}
    />
  ));
}

interface SectionProps {
  section: PageSection;
  isCurrent: boolean;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}

function Section({ section: { title, icon, pages }, isCurrent, isOpen, setOpen }: SectionProps) {
  const Icon = sectionIcons[icon];
  const [first] = pages;
  const isOnlyPage = pages.length === 1;
  return (
    <div className="menu-section">
      <div className="menu-head" data-current={isCurrent || undefined} data-open={isOpen || undefined}>
        <MenuLink
          to={first?.path ?? '/'}
          label={title}
          leftSection={<Icon size={17} stroke={1.7} aria-hidden />}
          active={isCurrent && (isOnlyPage || !isOpen)}
        />
        {!isOnlyPage && (
          <ActionIcon
            variant="transparent"
            color="gray"
            size={30}
            aria-label={`Pages of ${title}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronRight size={14} aria-hidden className="menu-chevron" />
          </ActionIcon>
        )}
      </div>
      {!isOnlyPage && (
        <Collapse expanded={isOpen} transitionDuration={120}>
          <div className="menu-pages">
            {isOpen &&
              pages.map(({ path, label }) => (
                <MenuLink
                  key={path}
                  to={path}
                  label={label}
                  activeOptions={{ exact: path === '/' || path === '/operator' }}
                  activeProps={{ 'data-active': true }}
                />
              ))}
          </div>
        </Collapse>
      )}
    </div>
  );
}

function NarrowSection({ section: { title, icon, pages }, isCurrent }: Pick<SectionProps, 'section' | 'isCurrent'>) {
  const navigate = useNavigate();
  const Icon = sectionIcons[icon];
  return (
    <Menu position="right-start" offset={6}>
      <Tooltip label={title} position="right">
        <Menu.Target>
          <ActionIcon
            variant={isCurrent ? 'light' : 'subtle'}
            color={isCurrent ? 'accent' : 'gray'}
            size={38}
            mb={2}
            aria-label={title}
          >
            <Icon size={18} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        <Menu.Label>{title}</Menu.Label>
        {pages.map(({ path, label }) => (
          <Menu.Item key={path} onClick={() => navigate({ to: path })}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
