/** What carriers and providers share as types: the time that counts as recent, the search by name, the reason of a change. */
import { text } from '../../jsonapi/attributes.ts';
import { explained } from '../../jsonapi/filters.ts';
import { partOf } from '../lookups/common.ts';

/** SQL: 24 hours ago by the environment's clock. */
export const recent = `environment_time.now() - interval '1 day'`;

export const whyChanged = {
  reason: text({ write: 'both', writeOnly: true, doc: 'Why; kept in the audit log.' }),
};

/** There are few of them, so no index is needed. */
export const nameContains = {
  name_contains: explained('A part of the name, in any case.', partOf('lower(t.name)', { minLength: 1, lower: true })),
};
