/** Updates at the same time cannot break a rule together. */
import { beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../../../test/support/client.ts';
import { openLibrary } from '../../../test/support/library/server.ts';
import { whileLocked } from '../../../test/support/lock.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;

beforeAll(async () => {
  anna = library.anna;
});

/**
 * Two updates of one record, each valid by itself; the second waits for the lock of the row until the first is done.
 */
async function both(table: string, id: string, first: object, second: object) {
  const change = (attributes: object) => anna.patch(`/${table}/${id}`, { data: { type: table, id, attributes } });
  const responses = await whileLocked(library.pool, table, id, [() => change(first), () => change(second)]);
  return responses.map(({ status, errors }) => [status, ...errors.map(({ detail }) => detail)]);
}

test('parallel updates that the engine stores cannot break a rule together', async () => {
  const { id } = (await anna.post('/loans', { data: { type: 'loans', attributes: { kind: 'hall' } } })).resource;
  expect(await both('loans', id, { kind: 'home', days: 3 }, { days: null })).toEqual([
    [200],
    [422, "days - can't be blank"],
  ]);
  expect((await anna.get(`/loans/${id}`)).resource.attributes).toEqual({ kind: 'home', days: 3 });
});

test('nor can those of a workflow', async () => {
  const lamp = (attributes: object) => ({ lamp: { type: 'led_lamps', attributes } });
  const data = { type: 'shelves', attributes: { name: 'Lit', ...lamp({ watts: 9 }) } };
  const { id } = (await anna.post('/shelves', { data })).resource;
  expect(await both('shelves', id, lamp({ lowest: 5 }), lamp({ watts: 2 }))).toEqual([
    [200],
    [422, 'lowest - must be less than or equal to 2'],
  ]);
});
