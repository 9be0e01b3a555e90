import { type Feature, featureTexts } from '../accounts/features.ts';
import { type Declaration, declare } from '../jsonapi/declare.ts';
import { ApiError, type ErrorObject, errors } from '../jsonapi/errors.ts';
import type { Resource } from '../jsonapi/resource.ts';
import type { PlatformContext } from './context.ts';

/** The three kinds of resource: sold to everyone, owned by one account, open without a key. */

export type PlatformResource = Resource<PlatformContext>;

export const catalogue = (type: string, declaration: Declaration<PlatformContext>): PlatformResource =>
  declare('catalogue', type, declaration);

export const owned = (type: string, declaration: Declaration<PlatformContext>): PlatformResource =>
  declare('account', type, declaration);

export const open = (type: string, declaration: Declaration<PlatformContext>): PlatformResource =>
  declare('public', type, declaration);

/** A guard: the type is 403 while the operator has the feature switched off for the account. */
export const needsFeature =
  (feature: Feature): NonNullable<PlatformResource['guard']> =>
  ({ caller }) => {
    if (caller && !caller.features[feature]) throw new ApiError([featureMissing(feature)]);
  };

/** 403: what the account lacks, in the operator's words for it. */
export const featureMissing = (feature: Feature): ErrorObject =>
  errors.forbidden(`The feature ${feature} is not enabled for this account: ${featureTexts[feature]}.`);
