/** The map in the repository is what its script makes of the current outlines. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { mapFile, worldMap } from '../scripts/world-map.ts';

test('the map of the world is up to date, and has every large country and small ones as points', async () => {
  const map = worldMap();
  expect(JSON.parse(await readFile(mapFile, 'utf8'))).toEqual(map);
  expect(Object.keys(map.outlines)).toEqual(expect.arrayContaining(['AU', 'BR', 'DE', 'FR', 'GB', 'NO', 'US', 'ZA']));
  expect(Object.keys(map.points)).toEqual(expect.arrayContaining(['MT', 'SG']));
});
