/** Customers who call out: an account with a number, and an outbound trunk that may use the number as caller id. */
import type { Insertable } from 'kysely';
import type { OutboundRequest } from '../../src/business/voice/outbound/decide.ts';
import type { DidsTable } from '../../src/engines/db/tables/dids.ts';
import type { VoiceOutTrunksTable } from '../../src/engines/db/tables/voice.ts';
import type { TestEnvironment } from './environment.ts';
import type { Telephony } from './telephony.ts';

export interface Dialer {
  accountId: string;
  trunkId: string;
  didId: string;
  number: string;
  /** A call of the number through the trunk, to 4930123 in Germany. */
  request: OutboundRequest;
}

/** Returns a function that makes a customer with these columns of the trunk and of the number. */
export function createDialers(house: TestEnvironment, telephony: Telephony) {
  let network = 0;
  return async (
    columns: Partial<Insertable<VoiceOutTrunksTable>> = {},
    did: Partial<Insertable<DidsTable>> = {},
  ): Promise<Dialer> => {
    network += 1;
    const accountId = await telephony.account({ balance: '100' });
    const { id: didId, number } = await telephony.did(accountId, did);
    const username = `user ${network}`;
    const authentication = { allowed_sip_ips: [`10.0.${network}.0/24`], tech_prefix: '7#', username, password: 'p' };
    const { id: trunkId } = await house.env.db
      .insertInto('voice_out_trunks')
      .values({
        account_id: accountId,
        name: 'dialer',
        on_cli_mismatch_action: 'reject_call',
        authentication_type: 'credentials_and_ip',
        authentication: JSON.stringify(authentication),
        created_at: house.clock.now(),
        ...columns,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await house.env.db
      .insertInto('voice_out_trunk_dids')
      .values({ voice_out_trunk_id: trunkId, did_id: didId })
      .execute();
    const request: OutboundRequest = {
      sourceIp: `10.0.${network}.5`,
      digest: { username, isMadeWith: (password) => password === 'p' },
      twilioAccountSid: null,
      from: number,
      to: '7#4930123',
    };
    return { accountId, trunkId, didId, number, request };
  };
}
