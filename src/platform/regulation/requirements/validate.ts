import { type ErrorObject, invalid, messages, refuse, throwAny } from '../../../jsonapi/errors.ts';
import type { Linkage, WriteInput } from '../../../jsonapi/resource.ts';
import type { Row } from '../../../jsonapi/sql.ts';
import { callerOf, type PlatformContext } from '../../context.ts';
import { evaluate } from '../rules/evaluate.ts';
import { loadAddressRule, loadEmergencyRule } from '../rules/load-rule.ts';
import { loadAddress, loadIdentity } from '../rules/load-submission.ts';

type ValidationInput = WriteInput<Row, Record<string, Linkage | null>>;

const RULES = { address_requirement: loadAddressRule, emergency_requirement: loadEmergencyRule };

/** The dry run behind both kinds of validation; its answer carries the requirement's own id. */
export const validateAgainst =
  (requirement: keyof typeof RULES) =>
  async (context: PlatformContext, input: ValidationInput): Promise<string> => {
    const { identity, address, [requirement]: named } = input.relationships;
    if (!named) throw new Error('a validation without its requirement was accepted');
    if (!identity && !address) refuse(invalid.relationship('identity', messages.blank));
    const { db } = context.env;
    const { accountId } = callerOf(context);
    const rule = await RULES[requirement](db, named.id);
    const place = address ? await loadAddress(db, accountId, address.id) : null;
    if (identity && place && place.identityId !== identity.id)
      refuse(invalid.relationship('address', messages.invalid));
    const person = identity ? await loadIdentity(db, accountId, identity.id) : null;
    const missing = evaluate(rule, { identity: person, address: place, places: [], papers: null, now: context.now });
    throwAny(missing.map((text): ErrorObject => invalid.base(text)));
    return named.id;
  };
