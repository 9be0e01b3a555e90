/** Finds free thousands-blocks for a number group: valid in its numbering plan, lowest first. */
import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { dialPrefix, isNorthAmerican } from './dial-prefix.ts';

export interface GroupToFill {
  id: string;
  country_prefix: string;
  prefix: string;
  /** Number of digits of its existing numbers; null if it has none. */
  number_length: number | null;
  /** The NPA-NXX under which the group sells, in North America. */
  nanpa_prefixes: { id: string; npa: string; nxx: string }[];
}

export interface Block {
  base: string;
  nanpa_prefix_id: string | null;
}

/** Numbers of this exchange are not sold: it has information services and numbers reserved for fiction. */
const fictionExchange = '555';

export function freeBlocks(group: GroupToFill): Generator<Block> {
  return isNorthAmerican(group.country_prefix) ? exchangeBlocks(group) : planBlocks(group);
}

function* exchangeBlocks({ nanpa_prefixes }: GroupToFill): Generator<Block> {
  for (const { id, npa, nxx } of nanpa_prefixes) {
    if (nxx === fictionExchange) continue;
    for (let thousand = 0; thousand < 10; thousand++) yield { base: `1${npa}${nxx}${thousand}`, nanpa_prefix_id: id };
  }
}

function* planBlocks(group: GroupToFill): Generator<Block> {
  const start = dialPrefix(group.country_prefix, group.prefix);
  const digits = (group.number_length ?? usualLength(start, group.country_prefix)) - start.length - 3;
  if (digits < 0) return;
  const all = 10 ** digits;
  // Subscriber numbers rarely begin with 0 or 1, so those come last.
  const first = digits === 0 ? 0 : 2 * 10 ** (digits - 1);
  // Numbering plans check the leading digits: after an invalid block, skip to other leading digits.
  const stride = Math.max(1, 10 ** (digits - 3));
  for (let i = 0; i < all; ) {
    const base = `${start}${digits === 0 ? '' : String((first + i) % all).padStart(digits, '0')}`;
    const valid = isValidPhoneNumber(`+${base}000`);
    if (valid) yield { base, nanpa_prefix_id: null };
    i = valid ? i + 1 : (Math.floor(i / stride) + 1) * stride;
  }
}

function usualLength(start: string, countryPrefix: string): number {
  const lengths = [10, 9, 8, 11, 7].map((national) => countryPrefix.length + national);
  const samples = ['234567', '345678', '567890', '200000', '900000'];
  const valid = (length: number) =>
    samples.some((digits) => isValidPhoneNumber(`+${`${start}${digits}`.slice(0, length).padEnd(length, '0')}`));
  return lengths.find(valid) ?? 0;
}
