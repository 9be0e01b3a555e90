/** Schemas check values and give them their type. */
import { expect, test } from 'vitest';
import { checkerOf, type Static, shape } from './typed-schema.ts';

const body = shape.object(
  {
    name: shape.string({ minLength: 1 }),
    kind: shape.optional(shape.word(['sms', 'callout'])),
    limit: shape.optional(shape.either(shape.integer({ minimum: 1 }), shape.null())),
    inner: shape.optional(shape.object({ at: shape.string({ format: 'date-time' }) }, { additionalProperties: false })),
    list: shape.optional(shape.array(shape.boolean())),
    headers: shape.optional(shape.record(shape.string())),
    sure: shape.optional(shape.constant(true)),
  },
  { additionalProperties: false },
);
const checker = checkerOf(body);

test('a valid value has the type of its schema', () => {
  const value: unknown = { name: 'a', kind: 'sms', limit: null, inner: { at: '2026-01-01T00:00:00Z' }, list: [true] };
  if (!checker.allows(value)) throw new Error(checker.problemOf(value));
  const typed: Static<typeof body> = value;
  expect(typed.kind).toBe('sms');
  // @ts-expect-error: a word that the schema does not have
  expect(typed.kind === 'fax').toBe(false);
});

test.each([
  [{}, 'name is missing'],
  [{ name: '' }, 'name must NOT have fewer than 1 characters'],
  [{ name: 'a', more: 1 }, 'more is not known'],
  [{ name: 'a', kind: 'fax' }, 'kind must be one of sms, callout'],
  [{ name: 'a', limit: 0 }, 'limit must be >= 1 or be null'],
  [{ name: 'a', inner: { at: 'soon' } }, 'inner.at must match format "date-time"'],
  [{ name: 'a', inner: { at: '2026-01-01T00:00:00Z', to: 1 } }, 'inner.to is not known'],
  [{ name: 'a', list: [true, 1] }, 'list.1 must be boolean'],
  [{ name: 'a', headers: { accept: 1 } }, 'headers.accept must be string'],
  [{ name: 'a', sure: false }, 'sure must be true'],
  ['a', 'must be object'],
])('%j: %s', (value, problem) => {
  expect(checker.allows(value)).toBe(false);
  expect(checker.problemOf(value)).toBe(problem);
});

test('nothing of the marks is written into the API reference', () => {
  expect(JSON.parse(JSON.stringify(shape.object({ a: shape.optional(shape.string()), b: shape.null() })))).toEqual({
    type: 'object',
    required: ['b'],
    properties: { a: { type: 'string' }, b: { type: 'null' } },
  });
});
