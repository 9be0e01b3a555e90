/**
 * Finds ranges of numbers for a group: reserved for fiction where such a range exists, otherwise a plausible block that
 * the country's numbering plan accepts.
 */
import { createHash } from 'node:crypto';
import { type ReservedRange, reservedRanges } from './reserved-ranges.ts';
import { diallingCode, numberType } from './sources.ts';

/** First number and how many follow without a gap. */
export type Range = [first: string, count: number];

/** Digits of a usual national number where the plan allows several lengths; a longer prefix has its own entry. */
const usualLength: Record<string, number> = {
  AT: 9,
  'AT 1': 8,
  BE: 8,
  CN: 10,
  DE: 10,
  'DE 32': 11,
  EE: 7,
  FI: 8,
  HR: 8,
  ID: 10,
  IE: 9,
  'IE 1': 8,
  IT: 10,
  JP: 9,
  KR: 9,
  LU: 8,
  MY: 8,
  'MY 3': 9,
  NZ: 8,
  PH: 9,
  RS: 8,
  'RS 11': 9,
  SE: 9,
  UY: 8,
  VN: 10,
  IN: 10,
  IR: 10,
  ZA: 9,
};

/** So many of a reserved range go into one group; the rest stays free for imports and tests. */
const reservedPerGroup = 100;

const fixedLine = ['FIXED_LINE', 'FIXED_LINE_OR_MOBILE'];

export class StockFinder {
  readonly #taken = new Set<string>();
  readonly #reservedLeft = new Map<string, ReservedRange[]>();

  forLocal(iso: string, prefix: string, areaName: string, digits: string): Range[] {
    const size = seeded(`${iso} ${prefix} ${areaName} size`);
    const count = [0, 10, 15, 20, 20, 25, 30, 50][size % 8] ?? 0;
    const seed = `${iso} ${areaName}`;
    return (
      this.reserved(iso, prefix) ??
      this.#find(iso, digits, fixedLine, seed, count) ??
      this.plausible(iso, prefix, fixedLine, seed, count)
    );
  }

  /** The next reserved range of this prefix; an empty list once they are used up, undefined where there are none. */
  reserved(iso: string, prefix: string): Range[] | undefined {
    const key = `${iso} ${prefix}`;
    const left = this.#reservedLeft.get(key) ?? reservedRanges[iso]?.[prefix]?.slice();
    if (!left) return undefined;
    this.#reservedLeft.set(key, left);
    const next = left.shift();
    return next ? [[next.first, Math.min(next.count, reservedPerGroup)]] : [];
  }

  plausible(iso: string, digits: string, types: string[], seed: string, count: number): Range[] {
    const found = this.#find(iso, digits, types, seed, count);
    if (!found) throw new Error(`no ${types.join('/')} range found for ${iso} ${digits}`);
    return found;
  }

  #find(iso: string, digits: string, types: string[], seed: string, count: number): Range[] | undefined {
    if (count === 0) return [];
    const calling = diallingCode(iso) ?? '';
    const usual = usualLength[`${iso} ${digits}`] ?? usualLength[iso];
    for (const length of [...(usual ? [usual] : []), 10, 9, 8, 11, 7]) {
      for (let attempt = 0; attempt < 60; attempt++) {
        const free = length - digits.length - 3;
        if (free < 0) break;
        const middle =
          free === 0
            ? ''
            : String(seeded(`${seed} ${length} ${attempt}`))
                .slice(-free)
                .padStart(free, '3');
        const base = `${calling}${digits}${middle}`;
        if (this.#taken.has(base) || !isValidRange(base, count, iso, types)) continue;
        this.#taken.add(base);
        return [[`${base}000`, count]];
      }
    }
    return undefined;
  }
}

function isValidRange(base: string, count: number, iso: string, types: string[]): boolean {
  const samples = [0, count >> 1, count - 1].map((n) => `${base}${String(n).padStart(3, '0')}`);
  return samples.every((number) => types.includes(numberType(number, iso) ?? ''));
}

/** A number from a name, the same on every machine. */
export function seeded(name: string): number {
  return createHash('sha1').update(name).digest().readUInt32BE(0);
}
