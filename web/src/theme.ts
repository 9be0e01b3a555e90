/** Colours and shapes. Where Mantine's own colours are too pale to read, darker ones take their place (WCAG AA). */
import { Badge, type CSSVariablesResolver, createTheme, Table } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 9,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  components: {
    Table: Table.extend({ defaultProps: { horizontalSpacing: 'md' } }),
    // Never cut short: the word is what the colour means.
    Badge: Badge.extend({ defaultProps: { tt: 'none', miw: 'max-content' } }),
  },
});

/** Mantine lightens a filled button under the pointer, where white words are then too pale to read. */
const filledHover = {
  '--mantine-color-teal-filled-hover': '#066b4c',
  '--mantine-primary-color-filled-hover': '#066b4c',
  '--mantine-color-red-filled-hover': '#b02525',
};

export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...filledHover,
    '--mantine-color-dimmed': '#52585e',
    '--mantine-color-placeholder': '#6b7177',
    '--mantine-color-anchor': '#06664a',
    '--mantine-color-error': '#b42318',
    '--mantine-color-teal-light-color': '#055a41',
    '--mantine-color-yellow-light-color': '#6f4700',
    '--mantine-color-orange-light-color': '#8a3500',
    '--mantine-color-red-light-color': '#a61b1b',
    '--mantine-color-gray-light-color': '#4a5056',
    '--mantine-color-blue-light-color': '#12539b',
    '--mantine-color-grape-light-color': '#7a1f8f',
  },
  dark: {
    ...filledHover,
    '--mantine-color-dimmed': '#a9b0b6',
    '--mantine-color-placeholder': '#9aa1a7',
    '--mantine-color-anchor': '#4fd1a5',
    '--mantine-color-error': '#ff8787',
    // Mantine darkens the strongest shade for light variants, which makes yellow brown, and writes on them nearly white.
    ...darkTint('teal', '#0c2f26', '#63e6be'),
    ...darkTint('yellow', '#2b2a1c', '#ffe066'),
    ...darkTint('orange', '#33261d', '#ffc078'),
    ...darkTint('red', '#3a2226', '#ffa8a8'),
    ...darkTint('gray', '#34373b', '#ced4da'),
    ...darkTint('blue', '#1c2b3d', '#91c9ff'),
    ...darkTint('grape', '#2f2236', '#e5b3f2'),
  },
});

/** The light variant of a colour in the dark: its ground, its words, and the ground under the pointer. */
function darkTint(name: string, ground: string, words: string): Record<string, string> {
  return {
    [`--mantine-color-${name}-light`]: ground,
    [`--mantine-color-${name}-light-hover`]: `color-mix(in srgb, ${ground}, white 8%)`,
    [`--mantine-color-${name}-light-color`]: words,
  };
}
