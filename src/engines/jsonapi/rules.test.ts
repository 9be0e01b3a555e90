/** Rules between members, for new and for changed records. */
import { expect, test } from 'vitest';
import { engineContext } from '../../../test/support/engine-context.ts';
import { boolean, text } from './attributes.ts';
import { declare, toMany, toOne } from './declare.ts';
import { ApiError, invalid } from './errors.ts';
import { facts, type ObjectType } from './facts.ts';
import { withDefaults } from './parse-object.ts';
import type { EngineContext, WriteInput } from './resource.ts';
import { checkObjectRules, checkRules } from './rules.ts';

const context = engineContext();

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

test('a link that was lost keeps nobody from changing the rest', async () => {
  const lost = { kind: 'home', days: '3', open: false, '→keeper': null };
  const missing = ["/data/relationships/keeper can't be blank"];
  expect(await problemsOf(loans, { attributes: { days: '4', open: false } }, lost)).toEqual([]);
  expect(await problemsOf(loans, { relationships: { keeper: null } }, lost)).toEqual(missing);
  expect(await problemsOf(loans, { attributes: { open: false } }, { ...lost, open: true })).toEqual(missing);
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

const type: ObjectType = {
  on: facts('boolean', { default: false }),
  user: facts('string', { nullable: true, requiredIf: { on: true }, forbiddenIf: { on: false } }),
  extra: facts('boolean', { default: false, trueOnlyIf: { on: true } }),
  least: facts('integer', { nullable: true, default: 5 }),
  most: facts('integer', { nullable: true, minField: 'least' }),
  middle: facts('integer', { nullable: true, minField: 'least', maxField: 'most' }),
  mode: facts('string', { nullable: true, forbiddenIf: { least: [1, 2] } }),
};

test('what was not sent has its default, or null', () => {
  expect(withDefaults(type, { on: true, user: 'u' })).toEqual({
    ...{ on: true, user: 'u', extra: false, least: 5, most: null, middle: null, mode: null },
  });
});

test('a null that was sent stays', () => {
  expect(withDefaults(type, { least: null })).toMatchObject({ least: null });
});

test.each([
  [{ on: true }, [{ member: 'user', message: "can't be blank" }]],
  [{ on: true, user: 'u', extra: true }, []],
  [{ on: false, user: 'u' }, [{ member: 'user', message: 'must be blank' }]],
  [{ on: false, extra: true }, [{ member: 'extra', message: 'is invalid' }]],
  [{ most: 4 }, [{ member: 'most', message: 'must be greater than or equal to 5' }]],
  [{ most: 9, middle: 10 }, [{ member: 'middle', message: 'must be less than or equal to 9' }]],
  [{ most: 9, middle: 7 }, []],
  [{ least: 2, mode: 'm' }, [{ member: 'mode', message: 'must be blank' }]],
  [{ least: 3, mode: 'm' }, []],
])('the rules between members: %j', (sent, problems) => {
  expect(checkObjectRules(type, withDefaults(type, sent))).toEqual(problems);
});
