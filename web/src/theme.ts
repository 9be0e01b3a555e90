/** What everything looks like: colours, type and spacing as tokens, and how Mantine's components use them. */
import {
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Input,
  Menu,
  Modal,
  Paper,
  Table,
  Tooltip,
} from '@mantine/core';
import { accent, darkInk, grounds, ink, tints } from './colors.ts';

export const theme = createTheme({
  colors: { accent, gray: ink, dark: darkInk },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  white: '#ffffff',
  black: ink[9],
  defaultRadius: 'md',
  // Who asks the system for less motion sees colours and positions change at once.
  respectReducedMotion: true,
  fontFamily: '"Geist Variable", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: '"Geist Mono Variable", ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '32px' },
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '12px', xl: '20px' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '26px', lineHeight: '1.25' },
      h2: { fontSize: '22px', lineHeight: '1.3' },
      h3: { fontSize: '18px', lineHeight: '1.35' },
      h4: { fontSize: '16px', lineHeight: '1.4' },
      h5: { fontSize: '14px', lineHeight: '1.45' },
    },
  },
  components: {
    Table: Table.extend({ defaultProps: { horizontalSpacing: 'md', verticalSpacing: 'xs', fz: 'sm' } }),
    // Its cross has no words for screen readers otherwise.
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close the dialog' }, overlayProps: { blur: 2 } },
    }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 100 } } }),
    // Never cut short: the word is what the colour means.
    Badge: Badge.extend({ defaultProps: { tt: 'none', miw: 'max-content', fw: 550, radius: 'sm' } }),
    Button: Button.extend({ styles: { label: { fontWeight: 550 } } }),
    InputWrapper: Input.Wrapper.extend({ styles: { label: { fontWeight: 550 } } }),
    Paper: Paper.extend({ defaultProps: { radius: 'md' } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, openDelay: 150 } }),
  },
});

/** The variables that Mantine does not take from the theme. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...grounds.light, ...tints('light') },
  dark: { ...grounds.dark, ...tints('dark') },
});
