/** Declares a resource type: sold to everyone, owned by one account, or open without a key. */
import type { Feature } from '../../business/accounts/features-and-limits.ts';
import { type Declaration, declare } from '../../engines/jsonapi/declare.ts';
import { ApiError } from '../../engines/jsonapi/errors.ts';
import type { Resource } from '../../engines/jsonapi/resource.ts';
import type { Attributes, Relationships } from '../../engines/jsonapi/sent.ts';
import type { PlatformContext } from './context.ts';
import { featureMissing } from './refusals.ts';

export type PlatformResource = Resource<PlatformContext>;

export const catalogue = <A extends Attributes, R extends Relationships = Relationships>(
  type: string,
  declaration: Declaration<PlatformContext, A, R>,
): PlatformResource => declare('catalogue', type, declaration);

/** What changes with the catalogue only, and is the same for every account: responses are kept until it changes. */
export const reference = <A extends Attributes, R extends Relationships = Relationships>(
  type: string,
  declaration: Declaration<PlatformContext, A, R>,
): PlatformResource => declare('catalogue', type, { ...declaration, reference: true });

export const owned = <A extends Attributes, R extends Relationships = Relationships>(
  type: string,
  declaration: Declaration<PlatformContext, A, R>,
): PlatformResource => declare('account', type, declaration);

export const open = <A extends Attributes, R extends Relationships = Relationships>(
  type: string,
  declaration: Declaration<PlatformContext, A, R>,
): PlatformResource => declare('public', type, declaration);

/** The largest page of the types whose maximum the contract raises for everyone. */
export const longPage = 1_000;

/** A guard that returns 403 while the feature is off for the account. */
export const needsFeature =
  (feature: Feature): NonNullable<PlatformResource['guard']> =>
  ({ caller }) => {
    if (caller && !caller.features[feature]) throw new ApiError([featureMissing(feature)]);
  };
