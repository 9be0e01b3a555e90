/** What carriers and providers share as types: the time that counts as recent, and the reason of a change. */
import { text } from '../../jsonapi/attributes.ts';

/** SQL: 24 hours ago by the environment's clock. */
export const recent = `environment_time.now() - interval '1 day'`;

export const whyChanged = {
  reason: text({ write: 'both', writeOnly: true, doc: 'Why; kept in the audit log.' }),
};
