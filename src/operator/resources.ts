/** Every type of /operator/v1. A new type is a declaration, its row in `roles.ts`, and a line here. */
import { Registry } from '../jsonapi/resource.ts';
import { accounts } from './accounts.ts';
import { adjustments } from './adjustments.ts';
import { auditEntries } from './audit-entries.ts';
import { ledgerEntries, numbers, orders } from './lookups.ts';
import { operatorKeys, operators } from './operators.ts';

export const registry = new Registry([
  accounts,
  numbers,
  orders,
  adjustments,
  ledgerEntries,
  auditEntries,
  operators,
  operatorKeys,
]);
