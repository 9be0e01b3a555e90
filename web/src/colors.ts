/**
 * The scales of colours. Every pair of words and ground that a component makes of them can be read (WCAG AA), in light
 * and in dark: the tests of the pages ask axe.
 */
import type { MantineColorsTuple } from '@mantine/core';

/** For primary acts, links and what is live. Good is teal, bad is red, the sandbox is orange. */
export const accent: MantineColorsTuple = [
  '#eef2ff',
  '#dde6ff',
  '#bccdff',
  '#93afff',
  '#6f91fb',
  '#4f74f0',
  '#3a5be0',
  '#2a48c8',
  '#233ba3',
  '#1f3280',
];

/** Neutral: from paper to ink. */
export const ink: MantineColorsTuple = [
  '#f8f9fb',
  '#f0f2f5',
  '#e4e7ec',
  '#d3d8df',
  '#b6bdc8',
  '#8c95a3',
  '#656e7c',
  '#495160',
  '#2a303b',
  '#14181f',
];

/** Neutral in the dark, from words to the deepest ground; Mantine takes inputs from 6, borders from 4. */
export const darkInk: MantineColorsTuple = [
  '#e6e9ee',
  '#c5cad3',
  '#a5acb8',
  '#7b8390',
  '#363c47',
  '#2a2f39',
  '#1e222a',
  '#171a21',
  '#111318',
  '#0c0e12',
];

/** Grounds and words. The page is a shade away from the papers that lie on it. */
export const grounds = {
  light: {
    '--page-ground': '#f8f9fb',
    '--mantine-color-dimmed': '#565f6d',
    '--mantine-color-placeholder': '#6b7380',
    '--mantine-color-anchor': '#2a48c8',
    '--mantine-color-error': '#b42318',
    '--mantine-color-default-border': '#e0e4ea',
    '--mantine-color-red-filled-hover': '#b02525',
  },
  dark: {
    '--page-ground': '#0f1116',
    '--mantine-color-dimmed': '#a5acb8',
    '--mantine-color-placeholder': '#939ba8',
    '--mantine-color-anchor': '#9db5ff',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-default-border': '#2c313b',
    '--mantine-color-red-filled-hover': '#b02525',
  },
} as const;

/** Of the light variant of each colour: its ground and its words. */
const pairs = {
  light: {
    accent: ['#e9eeff', '#233ba3'],
    teal: ['#e4f7ef', '#055a41'],
    yellow: ['#fff6d6', '#6f4700'],
    orange: ['#ffeddc', '#8a3500'],
    red: ['#ffeeee', '#a61b1b'],
    gray: ['#eef0f3', '#495160'],
    blue: ['#e6f1fd', '#12539b'],
    grape: ['#f6ebf9', '#7a1f8f'],
  },
  dark: {
    accent: ['#1d2747', '#a9beff'],
    teal: ['#0f2f27', '#63e6be'],
    yellow: ['#2e2a19', '#ffe066'],
    orange: ['#35261b', '#ffc078'],
    red: ['#3a2226', '#ffa8a8'],
    gray: ['#2a2f39', '#ced4da'],
    blue: ['#1b2a3d', '#91c9ff'],
    grape: ['#2f2236', '#e5b3f2'],
  },
} as const;

/**
 * Mantine's own are too strong in the light, and in the dark it makes yellow brown. The ground goes towards ink under
 * the pointer.
 */
export function tints(scheme: 'light' | 'dark'): Record<string, string> {
  const hover = scheme === 'light' ? 'black' : 'white';
  return Object.fromEntries(
    Object.entries(pairs[scheme]).flatMap(([name, [ground, words]]) => [
      [`--mantine-color-${name}-light`, ground],
      [`--mantine-color-${name}-light-hover`, `color-mix(in srgb, ${ground}, ${hover} 6%)`],
      [`--mantine-color-${name}-light-color`, words],
    ]),
  );
}
