/**
 * Taking numbers out of stock, putting them back and moving them between groups; each act is kept with what it reached.
 */
import { dateTime, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, explained, flag } from '../../../engines/jsonapi/filters.ts';
import { inBulkSlot } from '../bulk-slots.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { between, createdBetween, endless, partOf } from '../lookups/shared-filters.ts';
import { actOnStock } from './stock-actions.writes.ts';

const actions = {
  withdraw: 'Takes numbers out of stock for good.',
  quarantine: 'Takes numbers out of stock until a time, or for ever.',
  release: 'Puts withdrawn or quarantined numbers back into stock.',
  move: 'Moves numbers of the stock to another group.',
};

export const stockActions = operatorType('stock_actions', {
  group: 'Inventory',
  noun: 'stock action',
  summary: 'Takes numbers out of stock, puts them back or moves them; at most 100,000 at once.',
  attributes: {
    action: text({ write: 'create', required: true, values: actions, doc: 'What is done.' }),
    numbers: list(
      { type: 'string' },
      {
        write: 'create',
        writeOnly: true,
        doc: 'These numbers; those that customers own are held when they come back.',
      },
    ),
    number_prefix: text({
      write: 'create',
      nullable: true,
      pattern: '^[1-9][0-9]{2,14}$',
      doc: 'Numbers with these first digits, country code included.',
    }),
    until: dateTime({ write: 'create', nullable: true, doc: 'When a quarantine ends; null for ever.' }),
    reason: text({ write: 'create', required: true, doc: 'Why.' }),
    count: integer({ doc: 'How many numbers it reached.' }),
    owned: integer({ doc: 'How many of the listed numbers customers own: held when they come back.' }),
    skipped: integer({ doc: 'How many of the chosen numbers were left: reserved, held already, or not ours.' }),
    actor: text({ doc: 'Who did it.' }),
    created_at: dateTime({ doc: 'When.' }),
  },
  relationships: {
    did_group: toOne('stock', { write: 'create', nullable: true, doc: 'Only numbers of this group.' }),
    target_group: toOne('stock', { write: 'create', nullable: true, doc: 'Where numbers are moved to.' }),
  },
  filters: {
    action: anyOf('t.action', { values: actions }),
    actor: anyOf('t.actor'),
    'did_group.id': anyId('t.did_group_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: async (context, { attributes, relationships }) => {
    const { number_prefix: numberPrefix, until, ...act } = attributes;
    const run = () =>
      refusing(() =>
        actOnStock(actingOf(context), {
          ...act,
          numberPrefix: numberPrefix ?? null,
          until: until == null ? null : new Date(until),
          groupId: relationships.did_group?.id ?? null,
          targetGroupId: relationships.target_group?.id ?? null,
        }),
      );
    const { id } = await inBulkSlot(context.env, run);
    return id;
  },
});

const states = { withdrawn: 'Out of stock for good.', quarantined: 'Out of stock for a while, or for ever.' };

export const heldNumbers = operatorType('held_numbers', {
  group: 'Inventory',
  noun: 'held number',
  summary: 'A number that is not sold: withdrawn, or in quarantine.',
  idColumn: 'md5(t.number)::uuid',
  tieBreak: 't.number',
  endpoints: { read: false },
  ...endless,
  attributes: {
    number: text({ doc: 'Digits with the country code.' }),
    state: text({ values: states, doc: 'Why it is out of stock.' }),
    until: dateTime({ nullable: true, doc: 'When a quarantine ends; null for ever.' }),
    reason: text({ doc: 'Why.' }),
    actor: text({ doc: 'Who did it.' }),
    created_at: dateTime({ doc: 'Since when.' }),
  },
  relationships: { did_group: toOne('stock', { doc: 'The group that it was, or will be, sold in.' }) },
  filters: {
    number: anyOf('t.number'),
    number_contains: explained('A part of the number, at least three digits.', partOf('t.number')),
    state: anyOf('t.state', { values: states }),
    'did_group.id': anyId('t.did_group_id'),
    is_for_ever: flag('t.until is null'),
    ...between('until', 't.until'),
  },
  sort: ['created_at', 'number', 'until'],
  defaultSort: '-created_at',
});
