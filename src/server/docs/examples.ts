/** The recorded exchanges that the API reference shows. `test/docs/examples.test.ts` makes the file. */
import { readFile } from 'node:fs/promises';
import type { Exchanges } from '../../openapi/examples.ts';

export const examplesFile = new URL('./examples.json', import.meta.url);

/** The address and the day that stand in the file. */
export const RECORDED_URL = 'http://127.0.0.1:8081';
export const RECORDED_DAY = '2026-06-15';

/** With the server's own address in every link, and today where a day may not lie far back. */
export async function readExamples(serverUrl: string, today: string): Promise<Exchanges> {
  const text = await readFile(examplesFile, 'utf8');
  return JSON.parse(text.replaceAll(RECORDED_URL, serverUrl).replaceAll(RECORDED_DAY, today));
}
