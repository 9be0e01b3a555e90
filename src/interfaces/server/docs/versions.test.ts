/** Each version of `/v3` has a reference of its own. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import type { OpenApiDocument } from '../../../engines/openapi/types.ts';
import { knownVersions, newestVersion } from '../../platform/versions/versions.ts';

const server = useOpened(() => startTestServer());
const textOf = async (path: string) => (await fetch(`${server.url}${path}`)).text();
const documentOf = async (query: string): Promise<OpenApiDocument> => JSON.parse(await textOf(`/openapi.json${query}`));

test.each(knownVersions)('%s has its own document', async (version) => {
  const { info, paths, components } = await documentOf(`?version=${version}`);
  expect(info.version).toBe(version);
  expect(Object.hasOwn(paths, '/v3/trunks')).toBe(version < '2021-12-15');
  expect(Object.hasOwn(paths, '/v3/voice_in_trunks')).toBe(version >= '2021-12-15');
  expect(Object.hasOwn(paths, '/v3/identities')).toBe(version >= '2021-04-19');
  const { properties = {} } = components.schemas?.dids_attributes ?? {};
  expect(Object.hasOwn(properties, 'pending_removal')).toBe(version < '2021-04-19');
});

test('without a version, or with one that there is not, it is the newest', async () => {
  for (const query of ['', '?version=', '?version=1999-01-01', '?version=a&version=b']) {
    expect((await documentOf(query)).info.version).toBe(newestVersion);
  }
});

test('a Postman collection names its version in every request', async () => {
  const text = await textOf('/postman.json?version=2021-04-19');
  expect(text).toContain('{{base_url}}/v3/trunk_groups');
  expect(text).not.toContain('{{base_url}}/v3/voice_in_trunk_groups');
  const pinned = text.match(/"key": "X-\w+-Api-Version",\s*"value": "2021-04-19"/g) ?? [];
  expect(pinned.length).toBeGreaterThan(50);
});

test('the pages show what their version has, and stay in it', async () => {
  const page = await textOf('/docs/reference/inbound-trunks?version=2021-04-19');
  expect(page).toContain('<code>/v3/trunk_groups</code>');
  expect(page).not.toContain('<code>/v3/voice_in_trunk_groups</code>');
  expect(page).toContain('href="../reference/orders?version=2021-04-19"');
  expect(await textOf('/docs/search.json?version=2021-04-19')).toContain('/v3/trunk_groups');
  const newest = await textOf('/docs?version="><script>');
  expect(newest).toContain(`<option selected>${newestVersion}</option>`);
  expect(newest).not.toContain('"><script>');
});
