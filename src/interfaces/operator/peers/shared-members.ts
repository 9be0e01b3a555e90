/**
 * What carriers and providers share as types: the time that counts as recent, the search by name, the reason of a
 * change.
 */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { partOfText } from '../lookups/shared-filters.ts';

/** SQL: 24 hours ago by the environment's clock. */
export const recent = `environment_time.now() - interval '1 day'`;

export const whyChanged = {
  reason: text({ write: 'both', writeOnly: true, doc: 'Why; kept in the audit log.' }),
};

export const nameContains = { name_contains: partOfText('the name', 't.name') };
