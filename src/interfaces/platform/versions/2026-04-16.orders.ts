/**
 * Orders, numbers and exports: statuses were capitalised, callback methods were in capital letters, an order waited for
 * missing numbers only if it asked for that, and an export was asked for by year and month.
 */
import { facts } from '../../../engines/jsonapi/facts.ts';
import { type Change, noOperation, rewritten } from '../../../engines/jsonapi/versions/change.ts';
import { attributeWas, defaultWas, memberWas, noMembers, notShown } from '../../../engines/jsonapi/versions/members.ts';
import { capitalised, wordsWere } from '../../../engines/jsonapi/versions/words.ts';

const methods = { get: 'GET', post: 'POST' };

/** The error did not state the missing amount. */
const insufficientFunds = rewritten('orders', {
  problem: (problem) => {
    if (problem.title !== 'Insufficient balance') return problem;
    const { meta: _meta, ...rest } = problem;
    return { ...rest, title: 'Insufficient funds', detail: 'Insufficient funds' };
  },
});

const part = (doc: string) => facts('integer', { write: 'create', doc });

/** A month or a day instead of two moments. */
const calendar = attributeWas('exports', 'filters', ({ members = {}, ...newer }) => {
  const { from: _from, to: _to, ...others } = members;
  const day = part('The day of the month; the whole month without it.');
  return { ...newer, members: { ...others, year: part('The year.'), month: part('The month.'), day } };
});

/** Only identities had an own reference. */
const withoutReference = [
  ...['orders', 'exports', 'shared_capacity_groups', 'voice_in_trunks', 'voice_in_trunk_groups', 'voice_out_trunks'],
  ...['addresses', 'proofs', 'permanent_supporting_documents', 'address_verifications'],
];

export const orders: readonly Change[] = [
  memberWas('did_reservations', 'expires_at', 'expire_at'),
  memberWas('encrypted_files', 'expires_at', 'expire_at'),
  wordsWere('orders', 'status', capitalised('pending', 'completed', 'canceled')),
  wordsWere('orders', 'callback_method', methods),
  defaultWas('orders', 'allow_back_ordering', false),
  insufficientFunds,
  noOperation('orders', 'update'),
  wordsWere('exports', 'status', capitalised('pending', 'processing', 'completed')),
  wordsWere('exports', 'callback_method', methods),
  calendar,
  notShown('exports', 'filters'),
  noOperation('exports', 'update'),
  noMembers('dids', 'emergency_enabled', 'identity'),
  ...withoutReference.map((type) => noMembers(type, 'external_reference_id')),
];
