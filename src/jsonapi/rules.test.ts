import { expect, test } from 'vitest';
import { boolean, text } from './attributes.ts';
import { declare, toMany, toOne } from './declare.ts';
import { ApiError, invalid } from './errors.ts';
import type { EngineContext, WriteInput } from './resource.ts';
import { checkRules } from './rules.ts';

const context: EngineContext = {
  tenant: null,
  now: new Date(0),
  baseUrl: 'https://host',
  apiVersion: '1',
  maxPageSize: 100,
  query: async () => [],
};

const loans = declare<EngineContext>('account', 'loans', {
  attributes: {
    kind: text({ write: 'create', enum: ['home', 'hall'], default: 'home' }),
    days: text({ nullable: true, write: 'both', requiredIf: { kind: 'home' }, forbiddenIf: { kind: 'hall' } }),
    open: boolean({ write: 'both', default: false }),
  },
  relationships: {
    guards: toMany('readers', { write: 'both', forbiddenIf: { open: true } }),
    keeper: toOne('readers', { write: 'both', nullable: true, feature: 'keys', requiredIf: { open: false } }),
  },
  check: (_context, whole) => (whole.days === '0' ? [invalid.attribute('days', 'is no time at all')] : []),
});

const visits = declare<EngineContext>('account', 'visits', {
  attributes: { reason: text({ nullable: true, write: 'create' }) },
  relationships: {
    readers: toMany('readers', { write: 'create' }),
    club: toOne('clubs', { write: 'create', nullable: true }),
  },
  exactlyOneOf: ['readers', 'club'],
  atLeastOneOf: ['reason', 'club'],
});

const reader = { type: 'readers', id: '1' };
const club = { type: 'clubs', id: '2' };

async function problemsOf(resource: typeof loans, input: Partial<WriteInput>, stored: object | null = null, on = true) {
  const whole = { attributes: {}, relationships: {}, ...input };
  return checkRules({ ...context, features: { keys: on } }, resource, whole, stored && { ...stored }).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return error.errors.map(({ source, title }) => `${source?.pointer} ${title}`);
    },
  );
}

test('a new record: conditions see defaults, and every broken rule is reported, the type’s own last', async () => {
  expect(await problemsOf(loans, {})).toEqual([
    "/data/attributes/days can't be blank",
    "/data/relationships/keeper can't be blank",
  ]);
  expect(await problemsOf(loans, { attributes: { kind: 'hall', days: '0', open: true } })).toEqual([
    '/data/attributes/days must be blank',
    '/data/attributes/days is no time at all',
  ]);
});

test('an update is checked together with what is stored', async () => {
  const stored = { kind: 'home', days: '3', open: false, '→keeper': '1' };
  expect(await problemsOf(loans, {}, stored)).toEqual([]);
  expect(await problemsOf(loans, { attributes: { days: null }, relationships: { keeper: null } }, stored)).toEqual([
    "/data/attributes/days can't be blank",
    "/data/relationships/keeper can't be blank",
  ]);
});

test('of links only those that were sent are forbidden', async () => {
  const stored = { kind: 'hall', days: null, open: false, '→keeper': '1' };
  expect(await problemsOf(loans, { attributes: { open: true } }, stored)).toEqual([]);
  expect(await problemsOf(loans, { attributes: { open: true }, relationships: { guards: [reader] } }, stored)).toEqual([
    '/data/relationships/guards must be blank',
  ]);
});

test('a relationship that does not exist for the caller is not asked for', async () => {
  expect(await problemsOf(loans, { attributes: { days: '1' } }, null, false)).toEqual([]);
});

test.each<[Partial<WriteInput>, string[]]>([
  [{ relationships: { club } }, []],
  [{ attributes: { reason: 'tea' }, relationships: { readers: [reader] } }, []],
  [{ relationships: { readers: [reader] } }, ["/data/attributes/reason can't be blank"]],
  [{ attributes: { reason: 'tea' } }, ["/data/relationships/readers can't be blank"]],
  [{ attributes: { reason: 'tea' }, relationships: { readers: [] } }, ["/data/relationships/readers can't be blank"]],
  [{ relationships: { readers: [reader], club } }, ['/data/relationships/club must be blank']],
  [{ relationships: { readers: [], club } }, ['/data/relationships/club must be blank']],
])('groups of which one is needed: %j', async (input, problems) => {
  expect(await problemsOf(visits, input)).toEqual(problems);
});
