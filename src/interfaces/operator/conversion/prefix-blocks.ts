/**
 * Decisions about prefixes: blocked, watched or safe, by the rule or by an operator; every one says why and can be
 * lifted.
 */
import { boolean, dateTime, plainObject, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, flag } from '../../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/shared-filters.ts';
import { changePrefixBlock, decideOnPrefix } from './prefix-blocks.writes.ts';

const modes = {
  monitor: 'Would be blocked; nothing is refused.',
  block: 'Starts are refused with `destination_not_supported_for_channel`.',
  safe: 'Never blocked, nor any longer prefix of it.',
};

export const prefixBlocks = operatorType('prefix_blocks', {
  group: 'Verification',
  noun: 'decision about a prefix',
  title: 'Prefix blocks',
  summary: 'What is decided about verifications of numbers with a prefix, for one customer or for all.',
  attributes: {
    prefix: text({
      write: 'create',
      required: true,
      pattern: '^[1-9][0-9]{0,14}$',
      doc: 'First digits of the numbers, country code included.',
    }),
    mode: text({ write: 'both', required: true, values: modes, doc: 'What is decided.' }),
    until: dateTime({ write: 'both', nullable: true, doc: 'When it ends; null for ever.' }),
    reason: text({ write: 'both', required: true, doc: 'Why; of a change: why it is changed or lifted.' }),
    measured: plainObject(
      'prefix_measurement',
      {},
      { nullable: true, doc: 'What the rule saw: codes sent and verified, in its time and in the days before.' },
    ),
    is_automatic: boolean({ column: `t.actor = 'system'`, doc: 'Whether the rule decided it.' }),
    actor: text({ doc: 'Who decided it.' }),
    lifted: boolean({ write: 'update', column: 't.lifted_at is not null', doc: 'True lifts it, for good.' }),
    lifted_at: dateTime({ nullable: true, doc: 'When it was lifted, or ended.' }),
    lifted_by: text({ nullable: true, doc: 'Who lifted it.' }),
    lift_reason: text({ nullable: true, doc: 'Why it was lifted.' }),
    created_at: dateTime({ doc: 'When it was decided.' }),
  },
  relationships: {
    account: toOne('accounts', {
      write: 'create',
      nullable: true,
      doc: 'The customer that it concerns; null for all.',
    }),
  },
  filters: {
    prefix: anyOf('t.prefix'),
    mode: anyOf('t.mode', { values: modes }),
    is_in_force: flag('t.lifted_at is null and (t.until is null or t.until > environment_time.now())'),
    is_automatic: flag(`t.actor = 'system'`),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at', 'prefix'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) => {
    const { until, ...decision } = attributes;
    const accountId = relationships.account?.id ?? null;
    return refusing(() => decideOnPrefix(actingOf(context), { ...decision, until: timeOf(until) ?? null, accountId }));
  },
  update: (context, id, { attributes: { until, ...change } }) =>
    refusing(() => changePrefixBlock(actingOf(context), id, { ...change, until: timeOf(until) })),
});

const timeOf = (text: string | null | undefined): Date | null | undefined => (text == null ? text : new Date(text));
