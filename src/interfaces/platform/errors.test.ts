/** The table of errors is the contract's, word for word. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ErrorObject, errors, invalid } from '../../engines/jsonapi/errors.ts';
import { insufficientBalance } from './refusals.ts';

/** The one table of errors has the contract's codes, statuses, titles and texts. */
const contract: { errors: { status: number; code: string; title: string; detail: string }[] } = JSON.parse(
  readFileSync(new URL('../../../test/contract/types.json', import.meta.url), 'utf8'),
);

const made: ErrorObject[] = [
  errors.unauthorized(),
  errors.recordNotFound('{id}'),
  insufficientBalance('1.9', '2.0'),
  errors.invalidResource('{type}'),
  errors.filterNotAllowed('{key}'),
  errors.invalidFieldValue('{value}', '{field}'),
  errors.invalidField('{field}', '{type}'),
  errors.paramNotAllowed('{member}'),
  errors.pageParamNotAllowed('{param}'),
  errors.missingParameter('{param}'),
  errors.invalidFilterValue('{value}', '{filter}'),
  errors.refusedFilterValue('Date must be within the last 90 days.'),
  errors.keyRequired(),
  errors.keyNotInUrl('{id}'),
  errors.invalidInclude('{relationship}', '{type}'),
  errors.relationExists('{id}'),
  errors.invalidSort('{key}', '{type}'),
  errors.invalidLinkage(),
  errors.typeMismatch('{type}'),
  errors.invalidPageObject(),
  {
    ...errors.invalidPageValue('{value}', 'size'),
    detail: errors.invalidPageValue('{value}', 'size').detail.replace('size', '{param}'),
  },
  { ...errors.pageTooLarge(1), detail: errors.pageTooLarge(1).detail.replace('1', '{max}') },
  errors.invalidFieldFormat(),
  errors.invalidFilterSyntax('{filter}'),
  errors.invalidDataFormat(),
  // The contract has the title for a detail; this server says what is missing.
  errors.forbidden('Forbidden'),
  errors.notAcceptable('{media_type}'),
  errors.unsupportedMediaType('{media_type}'),
  invalid.attribute('{field}', '{message}'),
  invalid.base('{message}'),
  errors.saveFailed(),
  errors.tooManyRequests(),
  errors.internal(),
];

/** Named by the contract for calls that this server does not take: writing to relationship URLs; locked records. */
const notMade = ['Complete replacement forbidden', 'Locked resource'];
/** Texts that other rooms' tests hold against the contract: uploads, and what is in use. */
const elsewhere = ['invalid params', 'Conflict'];

const line = ({
  status,
  code,
  title,
  detail,
}: {
  status: number | string;
  code: string;
  title: string;
  detail: string;
}) => `${status} ${code} ${title}: ${detail}`;

test('every error of the contract is in the table, word for word', () => {
  const wanted = contract.errors.filter(({ title }) => ![...notMade, ...elsewhere].includes(title));
  expect(new Set(made.map(line))).toEqual(new Set(wanted.map(line)));
});

test('insufficient balance says how much there is and how much it would cost', () => {
  expect(insufficientBalance('1.9', '2.0').meta).toEqual({ available_balance: '1.9', total_cost: '2.0' });
});
