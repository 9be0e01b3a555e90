/** A number owned by the account. */
import { boolean, dateTime, freeText, integer, text } from '../../jsonapi/attributes.ts';
import { toOne } from '../../jsonapi/declare.ts';
import { invalid } from '../../jsonapi/errors.ts';
import {
  allOf,
  anyId,
  anyInteger,
  anyOf,
  contains,
  explained,
  type Filter,
  flag,
  inRow,
} from '../../jsonapi/filters.ts';
import type { Relationship } from '../../jsonapi/resource.ts';
import { createdAt } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { featureTexts } from '../did-groups/did-groups.ts';
import { ownedCounts } from '../owned-counts.ts';
import { notEnoughChannels } from '../refusals.ts';
import { routeProblem, updateDid } from './dids.writes.ts';

/** Blocked numbers take no calls: cancelled or expired, waiting for a registration, or blocked by the operator. */
const blockedSql = '(t.terminated or t.awaiting_registration or t.blocked_by_staff)';
const inGroup = (filter: Filter) => inRow('did_groups', 't.did_group_id', filter);

/** The counts of all groups of a place. */
const groupsIn = (column: string) => (ids: string) =>
  `array(select 'did_group.id=' || g.id from did_groups g where g.${column} = any(${ids}::uuid[]))`;

const route = (target: string, problem: ReturnType<typeof routeProblem>, doc: string): Relationship =>
  toOne(target, { nullable: true, write: 'update', problem, doc });

export const dids = owned('dids', {
  group: 'DIDs',
  noun: 'number',
  summary: 'A number owned by the account, and how it is routed.',
  attributes: {
    number: text({ pattern: '^[0-9]+$', doc: 'The number, with its country code and without `+`.' }),
    description: freeText({ nullable: true, write: 'update', doc: 'Your own note.' }),
    blocked: boolean({
      column: blockedSql,
      doc: 'Whether it takes no calls: terminated, unregistered or switched off.',
    }),
    awaiting_registration: boolean({ doc: 'Whether it waits for an approved address verification.' }),
    terminated: boolean({ write: 'update', doc: 'True cancels it at the end of its period, false takes that back.' }),
    emergency_enabled: boolean({ doc: 'Whether it can call emergency services.' }),
    capacity_limit: integer({
      nullable: true,
      min: 1,
      max: 32767,
      write: 'update',
      doc: 'The most calls at a time; null leaves it to the channels it has.',
    }),
    channels_included_count: integer({ min: 0, doc: 'Channels that its price includes.' }),
    dedicated_channels_count: integer({
      min: 0,
      default: 0,
      write: 'update',
      doc: 'Channels of its capacity pool that are its own.',
    }),
    billing_cycles_count: integer({
      nullable: true,
      min: 0,
      max: 999,
      write: 'update',
      doc: 'Renewals left before it ends; null renews it for ever.',
    }),
    created_at: createdAt,
    expires_at: dateTime({ nullable: true, doc: 'When the period that is paid for ends.' }),
  },
  relationships: {
    did_group: toOne('did_groups', { doc: 'The group it was bought from.' }),
    order: toOne('orders', { doc: 'The order it was bought with.' }),
    voice_in_trunk: route(
      'voice_in_trunks',
      routeProblem('voice_in_trunk_id', 'voice_in_trunk'),
      'The trunk that takes its calls; setting it clears the trunk group.',
    ),
    voice_in_trunk_group: route(
      'voice_in_trunk_groups',
      routeProblem('voice_in_trunk_group_id', 'voice_in_trunk_group'),
      'The trunk group that takes its calls; setting it clears the trunk.',
    ),
    capacity_pool: route(
      'capacity_pools',
      routeProblem('capacity_pool_id'),
      'The pool its dedicated channels come from.',
    ),
    shared_capacity_group: route(
      'shared_capacity_groups',
      routeProblem('shared_capacity_group_id'),
      'The group whose channels it shares.',
    ),
    address_verification: toOne('address_verifications', {
      nullable: true,
      write: 'update',
      nullOnly: true,
      doc: 'The submission it is registered with.',
    }),
    emergency_calling_service: toOne('emergency_calling_services', {
      nullable: true,
      write: 'update',
      nullOnly: true,
      doc: 'The emergency service it belongs to.',
    }),
    emergency_verification: toOne('emergency_verifications', {
      nullable: true,
      doc: 'The last submission for emergency calling.',
    }),
    identity: toOne('identities', { nullable: true, doc: 'Who it is registered to.' }),
  },
  filters: {
    id: anyId('t.id'),
    number: anyOf('t.number', { blank: true }),
    'order.id': anyId('t.order_id', { blank: true }),
    'order.reference': explained('The reference of its order.', inRow('orders', 't.order_id', anyOf('r.reference'))),
    'did_group.id': anyId('t.did_group_id', { blank: true }),
    'region.id': explained('The region of its group.', inGroup(anyId('r.region_id', { blank: true }))),
    'city.id': explained('The city of its group.', inGroup(anyId('r.city_id', { blank: true }))),
    'capacity_pool.id': anyId('t.capacity_pool_id', { blank: true }),
    'shared_capacity_group.id': anyId('t.shared_capacity_group_id', { blank: true }),
    'address_verification.id': anyId('t.address_verification_id', { blank: true }),
    'emergency_calling_service.id': anyId('t.emergency_calling_service_id'),
    'voice_in_trunk.id': anyId('t.voice_in_trunk_id', { blank: true }),
    'voice_in_trunk_group.id': anyId('t.voice_in_trunk_group_id', { blank: true }),
    'trunk.id': anyId('t.voice_in_trunk_id', { blank: true, aliasOf: 'voice_in_trunk.id' }),
    'trunk_group.id': anyId('t.voice_in_trunk_group_id', { blank: true, aliasOf: 'voice_in_trunk_group.id' }),
    'country.id': explained('The country of its group.', inGroup(anyId('r.country_id', { blank: true }))),
    billing_cycles_count: anyInteger('t.billing_cycles_count', { blank: true }),
    description: contains('t.description', { blank: true }),
    'did_group.features': explained('What the number can do.', inGroup(allOf('r.features', featureTexts))),
    awaiting_registration: flag('t.awaiting_registration'),
    blocked: flag(blockedSql),
    terminated: flag('t.terminated'),
    emergency_enabled: flag('t.emergency_enabled'),
  },
  sort: [
    'awaiting_registration',
    'billing_cycles_count',
    'blocked',
    'capacity_limit',
    'channels_included_count',
    'created_at',
    'dedicated_channels_count',
    'description',
    'expires_at',
    'number',
    'terminated',
  ],
  defaultSort: 'number',
  counts: ownedCounts('dids', {
    filters: [
      'blocked',
      'awaiting_registration',
      'terminated',
      'emergency_enabled',
      'did_group.id',
      'voice_in_trunk.id',
      'voice_in_trunk_group.id',
      'capacity_pool.id',
      'shared_capacity_group.id',
    ],
    partsOf: {
      'country.id': groupsIn('country_id'),
      'region.id': groupsIn('region_id'),
      'city.id': groupsIn('city_id'),
    },
    ranges: { sort: { column: 't.number', descending: false }, from: (range) => `t.number >= ${range}` },
  }),
  // Numbers reserved for a pending order are not visible yet.
  visible: () => 't.activated_at is not null',
  refusals: { capacity_pools_not_over_assigned: invalid.attribute('dedicated_channels_count', notEnoughChannels) },
  update: updateDid,
});
