import { expect, test } from 'vitest';
import { facts, type ObjectType } from './facts.ts';
import { checkObjectRules, withDefaults } from './object-rules.ts';

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
