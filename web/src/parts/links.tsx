/** Links of Mantine's looks that the router follows without loading the page anew. */
import {
  ActionIcon,
  type ActionIconProps,
  Anchor,
  Button,
  type ButtonProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

export const RouteLink = createLink((props: ComponentProps<'a'>) => <Anchor inherit {...props} />);

type AnchorRest = Omit<ComponentProps<'a'>, 'color' | 'style' | 'children'>;

export const ButtonLink = createLink((props: ButtonProps & AnchorRest & { children?: React.ReactNode }) => (
  <Button component="a" {...props} />
));

export const IconLink = createLink((props: ActionIconProps & AnchorRest & { children?: React.ReactNode }) => (
  <ActionIcon component="a" {...props} />
));

export const MenuLink = createLink((props: NavLinkProps & AnchorRest) => <NavLink component="a" {...props} />);
