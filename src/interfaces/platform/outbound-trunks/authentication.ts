/** How a customer's equipment proves who it is. */

import { OperatorError } from '../../../base/operator-error.ts';
import { isUuid } from '../../../base/uuid.ts';
import type { Environment } from '../../../engines/environment.ts';
import { object } from '../../../engines/jsonapi/attributes.ts';
import { type Attribute, facts, type ObjectType } from '../../../engines/jsonapi/facts.ts';
import { networkOf, parseValue } from '../../../engines/jsonapi/parse-value.ts';
import { generateCredential } from '../inbound-trunks/sip-values.ts';

const addresses = (write: object) =>
  facts('array', {
    doc: 'Addresses and subnets that calls are accepted from.',
    ...write,
    items: { type: 'string', format: 'ip-or-subnet' },
    minItems: 1,
    maxItems: 60,
    uniqueItems: true,
  });
const prefix = (write: object) =>
  facts('string', {
    nullable: true,
    ...write,
    maxLength: 8,
    pattern: '^[0-9#]+$',
    doc: 'Digits that your equipment dials before every number.',
  });

const credentialsAndIp: ObjectType = {
  allowed_sip_ips: addresses({ write: 'both', required: true }),
  tech_prefix: prefix({ write: 'both' }),
  username: facts('string', { doc: 'The user name to call with; generated.' }),
  password: facts('string', { secret: true, doc: 'The password to call with; generated.' }),
};

/** Set by the operator only: a customer can read it, and change the rest of such a trunk. */
const ipOnly: ObjectType = { allowed_sip_ips: addresses({}), tech_prefix: prefix({}) };

const twilio: ObjectType = {
  twilio_account_sid: facts('string', {
    write: 'both',
    required: true,
    pattern: '^[a-zA-Z]{2}[0-9a-fA-F]{32}$',
    doc: 'The Twilio account that calls come from.',
  }),
};

export const authenticationMethods = { credentials_and_ip: credentialsAndIp, ip_only: ipOnly, twilio };

export const authenticationMethod = {
  ...object(authenticationMethods, {
    write: 'both',
    required: true,
    patch: 'replace',
    doc: 'How your equipment proves who it is.',
    column: "json_build_object('type', t.authentication_type, 'attributes', t.authentication)",
  }),
  invalidWithout: ['allowed_sip_ips'],
  // The server generates user name and password; they stay as long as the method does.
  complete: ({ type, attributes }, stored) =>
    type === 'credentials_and_ip'
      ? {
          ...attributes,
          allowed_sip_ips: asSubnets(attributes.allowed_sip_ips),
          username: stored?.username ?? generateCredential(),
          password: stored?.password ?? generateCredential(),
        }
      : attributes,
} satisfies Attribute;

/**
 * Returns addresses in the form in which the database shows networks; a single address becomes a subnet:
 * `192.0.2.1/32`.
 */
function asSubnets(addresses: unknown): string[] {
  const list = Array.isArray(addresses) ? addresses.map(String) : [];
  return list.map((address) => networkOf(address) ?? address);
}

interface AllowedByAddress {
  addresses: readonly string[];
  techPrefix: string | null;
}

/** Makes a trunk `ip_only`: recognised by its addresses, without credentials. Only an operator can set this. */
export async function allowByAddress(env: Environment, trunkId: string, allowed: AllowedByAddress): Promise<void> {
  const { allowed_sip_ips, tech_prefix } = authenticationMethods.ip_only;
  if (!allowed_sip_ips || !('value' in parseValue(allowed_sip_ips, allowed.addresses))) {
    throw new OperatorError(`"${allowed.addresses.join(' ')}" is not a list of up to 60 addresses or subnets.`);
  }
  if (!tech_prefix || !('value' in parseValue(tech_prefix, allowed.techPrefix))) {
    throw new OperatorError(`"${allowed.techPrefix}" is not a prefix of up to 8 digits and #.`);
  }
  const authentication = { allowed_sip_ips: asSubnets(allowed.addresses), tech_prefix: allowed.techPrefix };
  const changed = isUuid(trunkId)
    ? await env.db
        .updateTable('voice_out_trunks')
        .set({ authentication_type: 'ip_only', authentication: JSON.stringify(authentication) })
        .where('id', '=', trunkId)
        .executeTakeFirst()
    : null;
  if (!changed?.numUpdatedRows) throw new OperatorError(`There is no outbound trunk ${trunkId} in ${env.name}.`);
}
