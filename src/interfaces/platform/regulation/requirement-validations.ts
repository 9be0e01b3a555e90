/**
 * `address_requirement_validations`, and what it shares with `emergency_requirement_validations`: a dry run that checks
 * an identity and address against a requirement. It stores nothing; the id in the response is that of the requirement.
 */
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { type ErrorObject, invalid, messages, refuse, throwAny } from '../../../engines/jsonapi/errors.ts';
import type { Linkage } from '../../../engines/jsonapi/linkage.ts';
import type { WriteInput } from '../../../engines/jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { owned, type PlatformResource } from '../declare.ts';
import { evaluate } from './evaluate.ts';
import { loadAddressRule, loadEmergencyRule } from './load-rule.ts';
import { loadAddress, loadIdentity } from './submission.ts';

const ruleLoaders = { address_requirement: loadAddressRule, emergency_requirement: loadEmergencyRule };

type Validated = keyof typeof ruleLoaders;

/** Declares `<requirement>_validations`, a type that can only be created. */
export function validationsOf(
  requirement: Validated,
  own: Pick<Parameters<typeof owned>[1], 'group' | 'title' | 'summary' | 'guard'>,
): PlatformResource {
  const given = { nullable: true, write: 'create', writeOnly: true } as const;
  return owned(`${requirement}_validations`, {
    ...own,
    attributes: {},
    relationships: {
      [requirement]: toOne(`${requirement}s`, {
        write: 'create',
        required: true,
        writeOnly: true,
        doc: 'What has to be satisfied.',
      }),
      identity: toOne('identities', { ...given, doc: 'Who the numbers would be registered to.' }),
      address: toOne('addresses', { ...given, doc: 'Where; an address of that identity.' }),
    },
    atLeastOneOf: ['identity', 'address'],
    endpoints: { list: false, read: false },
    paginated: false,
    relationshipEndpoints: false,
    stored: false,
    create: validateAgainst(requirement),
  });
}

const validateAgainst =
  (requirement: Validated) =>
  async (context: PlatformContext, input: WriteInput): Promise<string> => {
    const [identity, address, named] = ['identity', 'address', requirement].map((name) => linkOf(input, name));
    if (!named) throw new Error('a validation without its requirement was accepted');
    const { db } = context;
    const { accountId } = callerOf(context);
    const rule = await ruleLoaders[requirement](db, named.id);
    const place = address ? await loadAddress(db, accountId, address.id) : null;
    if (identity && place && place.identityId !== identity.id)
      refuse(invalid.relationship('address', messages.invalid));
    const person = identity ? await loadIdentity(db, accountId, identity.id) : null;
    const missing = evaluate(rule, { identity: person, address: place, places: [], papers: null, now: context.now });
    throwAny(missing.map((text): ErrorObject => invalid.base(text)));
    return named.id;
  };

function linkOf({ relationships }: WriteInput, name: string): Linkage | null {
  const link = relationships[name] ?? null;
  return link !== null && 'id' in link ? link : null;
}

export const addressRequirementValidations = validationsOf('address_requirement', {
  group: 'Regulation',
  title: 'Check an identity and address against a requirement',
  summary: 'A dry run of an identity and address against a requirement.',
});
