/** The guides of `docs/guides`, as the API reference shows them before its operations. */
import { readFile } from 'node:fs/promises';
import { RECORDED_URL } from './examples.ts';

/** In the order in which somebody new reads them. */
export const GUIDES = [
  'first-number',
  'errors',
  'paging-and-filters',
  'versions',
  'callbacks',
  'call-events',
  'paperwork',
  'sandbox',
] as const;

export const guideFile = (name: string): URL => new URL(`../../../docs/guides/${name}.md`, import.meta.url);

/** One text; commands in it name the server that shows it. */
export async function readGuides(serverUrl: string): Promise<string> {
  const texts = await Promise.all(GUIDES.map((name) => readFile(guideFile(name), 'utf8')));
  return texts.join('\n').replaceAll(RECORDED_URL, serverUrl);
}
