/** Who may call out, with which number, to where, and for how much in a day. */

import { spentSql, windowStart } from '../../../business/voice/outbound/threshold.ts';
import { errors, invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, contains, explained, flag, reading } from '../../../engines/jsonapi/filters.ts';
import type { Query } from '../../../engines/jsonapi/query-string.ts';
import type { Page } from '../../../engines/jsonapi/resource.ts';
import { selectPage } from '../../../engines/jsonapi/select.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { longPage, needsFeature, owned, type PlatformResource } from '../declare.ts';
import { mediaEncryptionModes } from '../inbound-trunks/sip-values.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import {
  cliActions,
  cliFeatures,
  destinationRules,
  trunkStatuses,
  voiceOutTrunkMembers,
} from './voice-out-trunks.members.ts';
import { createVoiceOutTrunk, deleteVoiceOutTrunk, updateVoiceOutTrunk } from './voice-out-trunks.writes.ts';

export const voiceOutTrunks: PlatformResource = owned('voice_out_trunks', {
  group: 'Outbound trunks',
  noun: 'outbound trunk',
  summary: 'Who may call out, with which number, to where, and for how much in a day.',
  ...voiceOutTrunkMembers,
  from: ({ now }, params) =>
    `(select o.*, ${spentSql('o.id', `${params.add(windowStart(now))}::timestamptz`)} as spent from voice_out_trunks o) t`,
  meta: { spent_amount: { type: 'decimal', doc: 'What was spent in the last 24 hours.', column: 't.spent' } },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { single: true }),
    name_contains: contains('t.name'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    status: anyOf('t.status', { single: true, values: trunkStatuses }),
    on_cli_mismatch_action: anyOf('t.on_cli_mismatch_action', {
      single: true,
      values: cliActions,
      features: cliFeatures,
    }),
    allow_any_did_as_cli: flag('t.allow_any_did_as_cli'),
    threshold_reached: flag('t.threshold_reached'),
    default_dst_action: anyOf('t.default_dst_action', { single: true, values: destinationRules }),
    media_encryption_mode: anyOf('t.media_encryption_mode', { single: true, values: mediaEncryptionModes }),
    'authentication_method.type': explained(
      'The type of its authentication.',
      reading([], anyOf('t.authentication_type')),
    ),
    'default_did.id': anyId('t.default_did_id', { single: true }),
  },
  sort: ['allow_any_did_as_cli', 'created_at', 'external_reference_id', 'name', 'threshold_reached'],
  tieBreak: 't.created_at, t.id',
  maxPageSize: longPage,
  counts: ownedCounts('voice_out_trunks', { ranges: byCreation }),
  findPage: async (context, { query, resource }): Promise<Page> => {
    await refuseForeignNumber(context, query);
    return selectPage(context, resource, query);
  },
  guard: needsFeature('outbound'),
  refusals: {
    voice_out_trunks_name: invalid.attribute('name', messages.taken),
    voice_out_trunks_twilio: invalid.nested('authentication_method', 'twilio_account_sid', messages.taken),
  },
  create: createVoiceOutTrunk,
  update: updateVoiceOutTrunk,
  delete: deleteVoiceOutTrunk,
});

/** Contract: trunks cannot be filtered by a number that is not the caller's. */
async function refuseForeignNumber(context: PlatformContext, { filters }: Query): Promise<void> {
  const id = filters.find(({ name }) => name === 'default_did.id')?.values[0];
  if (id === undefined) return;
  const owned = await context.query('select from dids where id = $1 and account_id = $2 and activated_at is not null', [
    id,
    callerOf(context).accountId,
  ]);
  if (owned.length === 0) refuse(errors.invalidFilterValue(String(id), 'default_did.id'));
}
