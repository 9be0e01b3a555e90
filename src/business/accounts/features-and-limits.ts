/** What an operator can change for one account: limits with defaults and bounds, and features, all on by default. */
import { OperatorError } from '../../base/operator-error.ts';

export const limitTexts = {
  reservations: { default: 10, min: 0, max: 10_000, text: 'numbers held at the same time' },
  reservation_seconds: { default: 600, min: 1, max: 86_400, text: 'how long a number is held' },
  /** Null: as the environment has it. */
  sandbox_order_seconds: {
    default: null,
    min: 0,
    max: 2_592_000,
    text: 'how long orders stay pending in the sandbox; null: as its own setting says',
  },
  max_page_size: { default: 100, min: 100, max: 10_000, text: 'the largest page[size]' },
} as const;

type Limit = keyof typeof limitTexts;
export type Limits = {
  readonly [Name in Limit]: (typeof limitTexts)[Name]['default'] extends null ? number | null : number;
};

export const limitNames = Object.keys(limitTexts).filter(isLimit);

function isLimit(name: string): name is Limit {
  return Object.hasOwn(limitTexts, name);
}

/** Reads the stored differences from the defaults. */
export function readLimits(stored: Readonly<Record<string, number>>): Limits {
  const limits: Partial<Record<Limit, number | null>> = {};
  for (const name of limitNames) limits[name] = stored[name] ?? limitTexts[name].default;
  return limits as Limits;
}

/** Null goes back to the default, where that is decided elsewhere. */
export function checkLimits(given: Readonly<Record<string, number | null>>): Partial<Limits> {
  for (const [name, value] of Object.entries(given)) {
    if (!isLimit(name)) {
      throw new OperatorError(`There is no limit "${name}"; the limits are ${limitNames.join(', ')}.`);
    }
    const { min, max, default: usual } = limitTexts[name];
    if (value === null && usual === null) continue;
    if (value === null || !Number.isInteger(value) || value < min || value > max) {
      throw new OperatorError(`The limit ${name} is a whole number from ${min} to ${max}.`);
    }
  }
  return given as Partial<Limits>;
}

export const featureTexts = {
  number_selection: 'browse available numbers, and reserve or order a particular one',
  outbound: 'outbound trunks',
  emergency: 'emergency calling',
  callbacks: 'callbacks of orders and exports',
  call_events: 'call events',
  tls: 'TLS and SRTP on trunks',
  replace_cli: 'outbound trunks that replace the caller id',
  randomize_cli: 'outbound trunks that take a random caller id',
  verification: 'the verification service; without it every request of an OTP application is 401',
} as const;

export type Feature = keyof typeof featureTexts;
export type Features = Readonly<Record<Feature, boolean>>;

export const featureNames = Object.keys(featureTexts).filter(isFeature);

function isFeature(name: string): name is Feature {
  return Object.hasOwn(featureTexts, name);
}

/** Reads the stored differences from the defaults. */
export function readFeatures(stored: Readonly<Record<string, boolean>>): Features {
  const features: Partial<Record<Feature, boolean>> = {};
  for (const name of featureNames) features[name] = stored[name] ?? true;
  return features as Features;
}

/** Rejects unknown names, which would otherwise look like a feature that is switched off. */
export function checkFeatures(given: Readonly<Record<string, unknown>>): Partial<Features> {
  for (const [name, value] of Object.entries(given)) {
    if (!isFeature(name))
      throw new OperatorError(`There is no feature "${name}"; the features are ${featureNames.join(', ')}.`);
    if (typeof value !== 'boolean') throw new OperatorError(`The feature ${name} is true or false.`);
  }
  return given as Partial<Features>;
}
