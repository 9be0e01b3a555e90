import type { Environment } from '../../environment.ts';
import { parseValue } from '../../jsonapi/parse-value.ts';
import { OperatorError } from '../../operator-error.ts';
import { isUuid } from '../../uuid.ts';
import { asSubnets, authenticationMethods } from './authentication.ts';

export interface AllowedByAddress {
  addresses: readonly string[];
  techPrefix: string | null;
}

/** Makes a trunk `ip_only`: no credentials, its addresses alone. Customers can read that; only an operator can set it. */
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
