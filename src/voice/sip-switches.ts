/** How the equipment of a trunk or carrier wants SIP, where peers differ. Only an operator sets it. */
import type { Environment } from '../environment.ts';
import { OperatorError } from '../operator-error.ts';
import { isUuid } from '../uuid.ts';

/** Whether provisional responses are sent reliably (100rel): never, if the peer wants it, or always. */
export const reliableModes = ['off', 'supported', 'required'] as const;

export interface SipSwitches {
  /** Numbers in URIs are marked with `user=phone`. */
  readonly userPhone: boolean;
  readonly reliable: (typeof reliableModes)[number];
}

/** SQL for the switches of a row of `carriers` or `voice_in_trunks`, as JSON. */
export const switchesOf = (row: string): string =>
  `json_build_object('userPhone', ${row}.user_phone, 'reliable', ${row}.reliable_provisionals)`;

/** Changes the given switches of an inbound trunk; returns all of them before and after. */
export async function switchTrunk(
  env: Environment,
  trunkId: string,
  { userPhone, reliable }: Partial<SipSwitches>,
): Promise<{ accountId: string; before: SipSwitches; after: SipSwitches }> {
  if (userPhone === undefined && reliable === undefined) {
    throw new OperatorError('Nothing is given that could be changed.');
  }
  const trunk = isUuid(trunkId)
    ? await env.db.selectFrom('voice_in_trunks').selectAll().where('id', '=', trunkId).forUpdate().executeTakeFirst()
    : undefined;
  if (trunk === undefined) throw new OperatorError(`There is no inbound trunk ${trunkId} in ${env.name}.`);
  const before: SipSwitches = { userPhone: trunk.user_phone, reliable: trunk.reliable_provisionals };
  const after: SipSwitches = { userPhone: userPhone ?? before.userPhone, reliable: reliable ?? before.reliable };
  await env.db
    .updateTable('voice_in_trunks')
    .set({ user_phone: after.userPhone, reliable_provisionals: after.reliable })
    .where('id', '=', trunkId)
    .execute();
  return { accountId: trunk.account_id, before, after };
}
