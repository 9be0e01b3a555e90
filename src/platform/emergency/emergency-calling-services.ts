import { date, dateTime, text } from '../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf, contains } from '../../jsonapi/filters.ts';
import type { Page } from '../../jsonapi/resource.ts';
import { selectPage } from '../../jsonapi/select.ts';
import { needsFeature, owned, type PlatformResource } from '../declare.ts';
import { statusFilter } from '../regulation/verifications/reviewed.ts';
import { cancelService } from './cancel-service.ts';

const STATUSES = ['new', 'in_process', 'changes_required', 'active', 'pending_update', 'canceled'];

const RENEW_DATE = 't.renew_date';

const LATEST = `from emergency_verifications v where v.emergency_calling_service_id = t.id
  order by v.seq desc limit 1`;
const LATEST_ADDRESS = `(select v.address_id ${LATEST})`;

/** Emergency calling for some numbers of one place. */
export const emergencyCallingServices: PlatformResource = owned('emergency_calling_services', {
  group: 'Emergency',
  summary: 'Emergency calling for some numbers of one place.',
  attributes: {
    name: text(),
    reference: text({ pattern: '^[A-Z]{3}-[0-9]{6}$' }),
    status: text({ enum: STATUSES }),
    activated_at: dateTime({ nullable: true }),
    canceled_at: dateTime({ nullable: true }),
    renew_date: date({ nullable: true }),
    created_at: dateTime(),
  },
  relationships: {
    country: toOne('countries'),
    did_group_type: toOne('did_group_types'),
    order: toOne('orders', { nullable: true }),
    emergency_requirement: toOne('emergency_requirements'),
    emergency_verification: toOne('emergency_verifications', { nullable: true, column: `(select v.id ${LATEST})` }),
    dids: toMany('dids', { via: 'emergency_calling_service_id' }),
  },
  meta: {
    setup_price: { type: 'decimal', column: 't.setup_price' },
    monthly_price: { type: 'decimal', column: 't.monthly_price' },
  },
  filters: {
    'address.id': anyId(LATEST_ADDRESS, { single: true }),
    'identity.id': anyId(`(select a.identity_id from addresses a where a.id = ${LATEST_ADDRESS})`, { single: true }),
    'country.id': anyId('t.country_id'),
    'did_group_type.id': anyId('t.did_group_type_id'),
    id: anyId('t.id'),
    name: contains('t.name'),
    reference: anyOf('t.reference', { single: true }),
    status: statusFilter(STATUSES),
  },
  sort: {
    'country.name': '(select c.name from countries c where c.id = t.country_id)',
    created_at: 't.created_at',
    name: 't.name',
    renew_date: RENEW_DATE,
    status: 't.status',
  },
  tieBreak: 't.created_at, t.id',
  // Contract: canceled services drop out of a list by the day of renewal.
  findPage: (context, { query }): Promise<Page> => {
    const { findPage: _, ...plain } = emergencyCallingServices;
    const byRenewal = query.sort.some(({ column }) => column === RENEW_DATE);
    return selectPage(context, plain, query, () => (byRenewal ? ["t.status <> 'canceled'"] : []));
  },
  relationshipEndpoints: false,
  endpoints: { delete: true },
  guard: needsFeature('emergency'),
  delete: cancelService,
});
