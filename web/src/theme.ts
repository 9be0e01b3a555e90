/** Colours and shapes. Where Mantine's own colours are too pale to read, darker ones take their place (WCAG AA). */
import { Badge, type CSSVariablesResolver, createTheme, Modal, Table } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 9,
  defaultRadius: 'md',
  // Who asks the system for less motion sees colours and positions change at once.
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  components: {
    Table: Table.extend({ defaultProps: { horizontalSpacing: 'md' } }),
    // Its cross has no words for screen readers otherwise.
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close the dialog' } } }),
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
    // Paler than Mantine's, so that a page with several notes stays calm.
    ...tint('teal', '#e4f7ef', '#055a41', 'black'),
    ...tint('yellow', '#fff6d6', '#6f4700', 'black'),
    ...tint('orange', '#ffeddc', '#8a3500', 'black'),
    ...tint('red', '#ffeeee', '#a61b1b', 'black'),
    ...tint('gray', '#eef0f2', '#4a5056', 'black'),
    ...tint('blue', '#e6f1fd', '#12539b', 'black'),
    ...tint('grape', '#f6ebf9', '#7a1f8f', 'black'),
  },
  dark: {
    ...filledHover,
    '--mantine-color-dimmed': '#a9b0b6',
    '--mantine-color-placeholder': '#9aa1a7',
    '--mantine-color-anchor': '#4fd1a5',
    '--mantine-color-error': '#ff8787',
    // Mantine darkens the strongest shade for light variants, which makes yellow brown, and writes on them nearly
    // white.
    ...tint('teal', '#0c2f26', '#63e6be', 'white'),
    ...tint('yellow', '#2b2a1c', '#ffe066', 'white'),
    ...tint('orange', '#33261d', '#ffc078', 'white'),
    ...tint('red', '#3a2226', '#ffa8a8', 'white'),
    ...tint('gray', '#34373b', '#ced4da', 'white'),
    ...tint('blue', '#1c2b3d', '#91c9ff', 'white'),
    ...tint('grape', '#2f2236', '#e5b3f2', 'white'),
  },
});

/**
 * The light variant of a colour: its ground, its words, and the ground under the pointer, which goes towards `hover`.
 */
function tint(name: string, ground: string, words: string, hover: 'black' | 'white'): Record<string, string> {
  return {
    [`--mantine-color-${name}-light`]: ground,
    [`--mantine-color-${name}-light-hover`]: `color-mix(in srgb, ${ground}, ${hover} 6%)`,
    [`--mantine-color-${name}-light-color`]: words,
  };
}
