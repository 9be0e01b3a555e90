/** What the engine stores by itself. */
import { expect, test } from 'vitest';
import { engineContext } from '../../../test/support/engine-context.ts';
import { text } from './attributes.ts';
import { declare, toOne } from './declare.ts';
import { ApiError, invalid, messages } from './errors.ts';
import type { EngineContext } from './resource.ts';
import { withRefusals } from './store.ts';

const storedId = '00000000-0000-4000-8000-000000000001';
const now = new Date(0);
const during = { answer: async () => {}, checkLocked: null };

function recorded(tenant: EngineContext['tenant'] = { accountId: 'anna' }) {
  const statements: [string, readonly unknown[]][] = [];
  const context = engineContext({
    tenant,
    now,
    query: async (statement, values) => {
      statements.push([statement, values]);
      return [{ id: storedId }];
    },
  });
  return { context, statements };
}

const cards = declare<EngineContext>('account', 'cards', {
  table: 'index_cards',
  attributes: { title: text({ write: 'both' }) },
  relationships: { box: toOne('boxes', { write: 'create' }) },
  stores: ['create', 'update', 'delete'],
});

test('the engine stores a type that names no workflow, always within the account', async () => {
  const { context, statements } = recorded();
  const link = { box: { type: 'boxes', id: storedId } };
  expect(await cards.create?.(context, { attributes: { title: 'A' }, relationships: link }, async () => {})).toBe(
    storedId,
  );
  await cards.update?.(context, storedId, { attributes: { title: 'B' }, relationships: {} }, during);
  await cards.update?.(context, storedId, { attributes: {}, relationships: {} }, during);
  await cards.delete?.(context, storedId);
  expect(statements).toEqual([
    [
      'insert into index_cards (title, box_id, account_id, created_at) values ($1, $2, $3, $4) returning id',
      ['A', storedId, 'anna', now],
    ],
    ['update index_cards set title = $1 where id = $3 and account_id = $2', ['B', 'anna', storedId]],
    ['delete from index_cards where id = $2 and account_id = $1 returning id', ['anna', storedId]],
  ]);
});

test('an update of a type with rules locks the row and checks it there, before anything is changed', async () => {
  const { context, statements } = recorded();
  const checkLocked = async () => {
    statements.push(['check', []]);
  };
  const input = { attributes: { title: 'B' }, relationships: {} };
  await cards.update?.(context, storedId, input, { answer: async () => {}, checkLocked });
  expect(statements.map(([statement]) => statement)).toEqual([
    'select id from index_cards where id = $2 and account_id = $1 for update',
    'check',
    'update index_cards set title = $1 where id = $3 and account_id = $2',
  ]);
});

test('nothing is stored for nobody', async () => {
  const { context, statements } = recorded(null);
  await expect(cards.delete?.(context, storedId)).rejects.toThrow('this request has none');
  expect(statements).toEqual([]);
});

test('writing is offered where there is a workflow, plain storage or an own route', () => {
  const only = (own: object) => declare<EngineContext>('account', 'cards', { attributes: {}, ...own }).endpoints;
  const none = { list: true, read: true, create: false, update: false, delete: false };
  expect(only({})).toEqual(none);
  expect(only({ endpoints: { list: false } })).toEqual({ ...none, list: false });
  expect(only({ stores: ['update'], delete: async () => {} })).toEqual({ ...none, update: true, delete: true });
  expect(only({ ownRoutes: ['create'] })).toEqual({ ...none, create: true });
});

test('a constraint of the table becomes its error, any other failure stays what it is', async () => {
  const taken = invalid.attribute('title', messages.taken);
  const failing = (constraint: string) => () =>
    Promise.reject(Object.assign(new Error('duplicate key'), { constraint }));
  const refused = withRefusals({ refusals: { cards_title: taken } }, failing('cards_title'));
  await expect(refused).rejects.toEqual(new ApiError([taken]));
  await expect(withRefusals({ refusals: { cards_title: taken } }, failing('other'))).rejects.toThrow('duplicate key');
  await expect(withRefusals({}, failing('cards_title'))).rejects.toThrow('duplicate key');
});
