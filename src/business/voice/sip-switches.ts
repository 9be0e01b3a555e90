/** How the equipment of a trunk or carrier wants SIP, where peers differ. Only an operator sets it. */

import { OperatorError } from '../../base/operator-error.ts';
import { isUuid } from '../../base/uuid.ts';
import type { Environment } from '../../engines/environment.ts';

/** Whether provisional responses are sent reliably (100rel): never, if the peer wants it, or always. */
export const reliableModes = ['off', 'supported', 'required'] as const;

export interface SipSwitches {
  /** Numbers in URIs are marked with `user=phone`. */
  readonly userPhone: boolean;
  readonly reliable: (typeof reliableModes)[number];
}

/** How phones that have registered to one trunk ring, if they have the same priority. */
export const contactModes = ['together', 'one_by_one'] as const;

/** Those of an inbound trunk. */
export interface TrunkSwitches extends SipSwitches {
  readonly contacts: (typeof contactModes)[number];
}

/** SQL for the switches of a row of `carriers`, as JSON. */
export const switchesOf = (row: string): string =>
  `json_build_object('userPhone', ${row}.user_phone, 'reliable', ${row}.reliable_provisionals)`;

/** Changes the given switches of an inbound trunk; returns all of them before and after. */
export async function switchTrunk(
  env: Environment,
  trunkId: string,
  changes: Partial<TrunkSwitches>,
): Promise<{ accountId: string; before: TrunkSwitches; after: TrunkSwitches }> {
  if (Object.keys(changes).length === 0) throw new OperatorError('Nothing is given that could be changed.');
  const trunk = isUuid(trunkId)
    ? await env.db.selectFrom('voice_in_trunks').selectAll().where('id', '=', trunkId).forUpdate().executeTakeFirst()
    : undefined;
  if (trunk === undefined) throw new OperatorError(`There is no inbound trunk ${trunkId} in ${env.name}.`);
  const { user_phone: userPhone, reliable_provisionals: reliable, ringing_contacts: contacts } = trunk;
  const before: TrunkSwitches = { userPhone, reliable, contacts };
  const after = { ...before, ...changes };
  await env.db
    .updateTable('voice_in_trunks')
    .set({ user_phone: after.userPhone, reliable_provisionals: after.reliable, ringing_contacts: after.contacts })
    .where('id', '=', trunkId)
    .execute();
  return { accountId: trunk.account_id, before, after };
}
