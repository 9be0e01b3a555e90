/** Attributes that may only be written together. */
import { expect, test } from 'vitest';
import { text } from './attributes.ts';
import { declare } from './declare.ts';
import { ApiError } from './errors.ts';
import { parseBody } from './parse-body.ts';

const letters = declare('account', 'letters', {
  attributes: {
    street: text({ nullable: true, write: 'create', togetherWith: 'town' }),
    town: text({ nullable: true, write: 'create', maxLength: 5, togetherWith: 'street' }),
  },
});

function detailsOf(attributes: object): string[] {
  try {
    parseBody({ apiVersion: '1' }, letters, { data: { type: 'letters', attributes } }, null);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.errors.map(({ detail }) => detail);
  }
}

test.each<[object, string[]]>([
  [{}, []],
  [{ street: null, town: null }, []],
  [{ street: 'High Street', town: 'Bath' }, []],
  [{ street: 'High Street' }, ["town - can't be blank"]],
  [{ street: 'High Street', town: '' }, ["town - can't be blank"]],
  [{ town: 'Bath', street: null }, ["street - can't be blank"]],
  // What is wrong in itself is not reported as missing too.
  [{ street: 'High Street', town: 'Manchester' }, ['town - is too long (maximum is 5 characters)']],
])('attributes that go together come both or not at all: %j', (attributes, details) => {
  expect(detailsOf(attributes)).toEqual(details);
});
