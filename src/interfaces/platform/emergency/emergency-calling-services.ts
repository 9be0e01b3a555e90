/** `emergency_calling_services`: emergency calling for numbers of one place. */

import { referencePattern } from '../../../business/reference.ts';
import { date, dateTime, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, contains, explained, reading } from '../../../engines/jsonapi/filters.ts';
import type { Page } from '../../../engines/jsonapi/resource.ts';
import { selectPage } from '../../../engines/jsonapi/select.ts';
import { createdAt } from '../common-attributes.ts';
import { needsFeature, owned, type PlatformResource } from '../declare.ts';
import { statusFilter } from '../regulation/address-verifications.ts';
import { cancelService } from './emergency-calling-services.writes.ts';

const serviceStatuses = {
  new: 'Nothing is under review yet.',
  in_process: 'Its first address is under review.',
  changes_required: 'The address was rejected; submit another.',
  active: 'Its numbers can call emergency services.',
  pending_update: 'Active, while another address is under review.',
  canceled: 'It has ended.',
};

const renewDate = 't.renew_date';

const latestVerification = `from emergency_verifications v where v.emergency_calling_service_id = t.id
  order by v.seq desc limit 1`;
const latestAddress = `(select v.address_id ${latestVerification})`;

export const emergencyCallingServices: PlatformResource = owned('emergency_calling_services', {
  group: 'Emergency',
  noun: 'emergency calling service',
  summary: 'Emergency calling for some numbers of one place.',
  attributes: {
    name: text({ doc: 'The place it is for.' }),
    reference: text({ pattern: referencePattern, doc: 'The short name people use for it.' }),
    status: text({ values: serviceStatuses, doc: 'How far it is.' }),
    activated_at: dateTime({ nullable: true, doc: 'When it became active.' }),
    canceled_at: dateTime({ nullable: true, doc: 'When it was cancelled.' }),
    renew_date: date({ nullable: true, doc: 'The day it is charged again.' }),
    created_at: createdAt,
  },
  relationships: {
    country: toOne('countries', { doc: 'The country of its numbers.' }),
    did_group_type: toOne('did_group_types', { doc: 'The kind of its numbers.' }),
    order: toOne('orders', { nullable: true, doc: 'The order it was last charged with.' }),
    emergency_requirement: toOne('emergency_requirements', { doc: 'What had to be satisfied.' }),
    emergency_verification: toOne('emergency_verifications', {
      nullable: true,
      column: `(select v.id ${latestVerification})`,
      doc: 'The latest submission for it.',
    }),
    dids: toMany('dids', { via: 'emergency_calling_service_id', doc: 'Its numbers.' }),
  },
  meta: {
    setup_price: { type: 'decimal', doc: 'Charged once for each number.', column: 't.setup_price' },
    monthly_price: { type: 'decimal', doc: 'Charged for each number and month.', column: 't.monthly_price' },
  },
  filters: {
    'address.id': explained(
      'The address of its latest submission.',
      reading(['addresses'], anyId(latestAddress, { single: true })),
    ),
    'identity.id': explained(
      'The identity of its latest submission.',
      reading(
        ['identities'],
        anyId(`(select a.identity_id from addresses a where a.id = ${latestAddress})`, { single: true }),
      ),
    ),
    'country.id': anyId('t.country_id'),
    'did_group_type.id': anyId('t.did_group_type_id'),
    id: anyId('t.id'),
    name: contains('t.name'),
    reference: anyOf('t.reference', { single: true }),
    status: statusFilter(serviceStatuses),
  },
  sort: {
    'country.name': '(select c.name from countries c where c.id = t.country_id)',
    created_at: 't.created_at',
    name: 't.name',
    renew_date: renewDate,
    status: 't.status',
  },
  tieBreak: 't.created_at, t.id',
  // Contract: a list sorted by renew_date leaves out canceled services.
  findPage: (context, { query, resource }): Promise<Page> => {
    const byRenewal = query.sort.some(({ column }) => column === renewDate);
    return selectPage(context, resource, query, () => (byRenewal ? ["t.status <> 'canceled'"] : []));
  },
  relationshipEndpoints: false,
  deleteVerb: 'Cancel',
  guard: needsFeature('emergency'),
  delete: cancelService,
});
