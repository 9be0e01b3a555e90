/** Renewals of numbers could be counted and outcomes be reported; a cancelled order was answered with 202. */
import { boolean } from '../../../engines/jsonapi/attributes.ts';
import { type Change, deletedLater } from '../../../engines/jsonapi/versions/change.ts';
import { hadAttribute, noMembers, notShown } from '../../../engines/jsonapi/versions/members.ts';

const pendingRemoval = boolean({
  write: 'update',
  column: 'coalesce(t.billing_cycles_count = 0, false)',
  doc: 'Whether it ends with its period.',
});

export const renewals: readonly Change[] = [
  notShown('dids', 'billing_cycles_count'),
  hadAttribute('dids', 'pending_removal', pendingRemoval, {
    after: 'billing_cycles_count',
    // A count that was sent too says more.
    input: (removed, others) => ('billing_cycles_count' in others ? {} : { billing_cycles_count: removed ? 0 : null }),
  }),
  noMembers('orders', 'callback_url', 'callback_method'),
  noMembers('exports', 'callback_url', 'callback_method'),
  deletedLater('orders'),
];
