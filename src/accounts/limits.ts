/** The limits that an operator can set for one account, with defaults and bounds. */
import { OperatorError } from '../operator-error.ts';

export const limitTexts = {
  reservations: { default: 10, min: 0, max: 10_000, text: 'numbers held at the same time' },
  reservation_seconds: { default: 600, min: 1, max: 86_400, text: 'how long a number is held' },
  sandbox_order_seconds: { default: 0, min: 0, max: 2_592_000, text: 'how long orders stay pending in the sandbox' },
  max_page_size: { default: 100, min: 100, max: 10_000, text: 'the largest page[size]' },
} as const;

export type Limit = keyof typeof limitTexts;
export type Limits = Readonly<Record<Limit, number>>;

export const limitNames = Object.keys(limitTexts).filter(isLimit);

export function isLimit(name: string): name is Limit {
  return Object.hasOwn(limitTexts, name);
}

/** Reads the stored differences from the defaults. */
export function readLimits(stored: Readonly<Record<string, number>>): Limits {
  const limits: Partial<Record<Limit, number>> = {};
  for (const name of limitNames) limits[name] = stored[name] ?? limitTexts[name].default;
  return limits as Limits;
}

export function checkLimits(given: Readonly<Record<string, number>>): Partial<Limits> {
  for (const [name, value] of Object.entries(given)) {
    if (!isLimit(name)) {
      throw new OperatorError(`There is no limit "${name}"; the limits are ${limitNames.join(', ')}.`);
    }
    const { min, max } = limitTexts[name];
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new OperatorError(`The limit ${name} is a whole number from ${min} to ${max}.`);
    }
  }
  return given;
}
