/** The choices that the operator's pages offer are all that the interface knows. */
import { expect, test } from 'vitest';
import { apiVersions, auditActionNames, priceKindWords, productNames } from '../../../web/src/operator/words.ts';
import { registry } from '../operator/resources.ts';

const wordsOf = (type: string, attribute: string): readonly string[] => {
  const { facts } = registry.get(type)?.attributes[attribute] ?? {};
  return (facts?.enum ?? []).map(String);
};

test.each([
  ['accounts', 'api_version', apiVersions],
  ['audit_entries', 'action', auditActionNames],
  ['price_adjustments', 'product', productNames],
  ['price_lists', 'kind', priceKindWords],
])('%s: every %s', (type, attribute, offered) => {
  expect(offered.toSorted()).toEqual(wordsOf(type, attribute).toSorted());
});
