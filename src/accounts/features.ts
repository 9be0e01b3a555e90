/** The features that an operator can switch off for one account; all are on by default. */
import { OperatorError } from '../operator-error.ts';

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

export function isFeature(name: string): name is Feature {
  return Object.hasOwn(featureTexts, name);
}

/** Reads the stored differences from the defaults. */
export function readFeatures(stored: Readonly<Record<string, boolean>>): Features {
  const features: Partial<Record<Feature, boolean>> = {};
  for (const name of featureNames) features[name] = stored[name] ?? true;
  return features as Features;
}

/** Rejects unknown names, which would otherwise look like a feature that is switched off. */
export function checkFeatures(given: Readonly<Record<string, boolean>>): Partial<Features> {
  const unknown = Object.keys(given).find((name) => !isFeature(name));
  if (unknown !== undefined) {
    throw new OperatorError(`There is no feature "${unknown}"; the features are ${featureNames.join(', ')}.`);
  }
  return given;
}
