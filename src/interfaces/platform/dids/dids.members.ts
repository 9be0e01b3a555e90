/** The attributes and relationships of numbers: what a request may change of one is derived from here. */
import { boolean, dateTime, freeText, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { type ErrorObject, invalid } from '../../../engines/jsonapi/errors.ts';
import { createdAt } from '../common-attributes.ts';

/** Errors of a number's routes point to attributes that exist only there (`voice_in_trunk_id`). */
export const routeProblem =
  (attribute: string, name = attribute) =>
  (message: string): ErrorObject =>
    invalid.pointed(`/data/attributes/${attribute}`, message, name);

const route = (target: string, problem: ReturnType<typeof routeProblem>, doc: string) =>
  toOne(target, { nullable: true, write: 'update', problem, doc });

/** Blocked numbers take no calls: cancelled or expired, waiting for a registration, or blocked by the operator. */
export const blockedSql = '(t.terminated or t.awaiting_registration or t.blocked_by_staff)';

export const didMembers = {
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
};
