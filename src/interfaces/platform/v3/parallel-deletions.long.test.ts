/**
 * Every type that can be made and deleted: changes, deletions and links at the same moment are answered as one after
 * the other would be.
 */
import { beforeAll, expect, test } from 'vitest';
import { creates, loadForCreates } from '../../../../test/support/creates.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { registry } from './registries.ts';

const server = useOpened(() => startTestServer({ account: { balance: '100000' } }));
beforeAll(() => loadForCreates(server));

const rounds = 4;
const types = registry.all().filter(({ endpoints }) => endpoints.delete && endpoints.create);
const makerOf = (type: string) => creates[`create_${type}`];

/** Made by an upload, which is another request. */
const tried = types.filter(({ type }) => type !== 'encrypted_files');

test('every type is tried', () => {
  expect(tried.filter(({ type }) => makerOf(type) === undefined).map(({ type }) => type)).toEqual([]);
  expect(tried.length).toBeGreaterThan(8);
});

test.each(tried.map((resource) => [resource.type, resource] as const))('%s', async (type, { path, endpoints }) => {
  const make = makerOf(type);
  for (let round = 0; round < rounds; round++) {
    const made = await make?.(server);
    const client = (made?.by ?? server).client;
    const id = (await client.post(path ?? '', made?.body)).resource.id;
    const one = `${path}/${id}`;
    const attributes = { external_reference_id: `${round}` };
    const change = () => client.patch(one, { data: { type, id, attributes } });
    const remove = () => client.delete(one);
    // The client fails on any answer that is not documented, and on every 500.
    const changes = endpoints.update ? [change(), change()] : [];
    const [first, second] = await Promise.all([remove(), remove(), ...changes]);
    const [removed, gone] = [first?.status ?? 0, second?.status ?? 0].toSorted((a, b) => a - b);
    expect([204, 422], `${removed}`).toContain(removed);
    expect([204, 404, 409, 422], `${gone}`).toContain(gone);
    for (const { status } of await Promise.all(changes)) expect([200, 400, 404, 422]).toContain(status);
  }
});
