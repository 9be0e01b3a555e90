/** The command that tries a call out. */
import { expect, test } from 'vitest';
import { execute } from '../../../test/support/commands.ts';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { createTelephony } from '../../../test/support/telephony.ts';
import { useOpened } from '../../../test/support/use.ts';
import { showOutboundCall } from './call.ts';

const house = useOpened(() => createTestEnvironment());

test('a call out is shown with its price, or why it may not be made', async () => {
  const telephony = await createTelephony(house.env);
  const accountId = await telephony.account();
  await house.env.db
    .insertInto('voice_rates')
    .values({ kind: 'termination', prefix: '49', per_minute: '0.6', country: 'Germany' })
    .execute();
  const { id } = await house.env.db
    .insertInto('voice_out_trunks')
    .values({
      account_id: accountId,
      name: 'dialer',
      on_cli_mismatch_action: 'send_original_cli',
      authentication_type: 'credentials_and_ip',
      authentication: JSON.stringify({
        allowed_sip_ips: ['192.0.2.0/24'],
        tech_prefix: null,
        username: 'u',
        password: 'p',
      }),
      created_at: house.clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const show = async (to: string, ip: string | null = null) => {
    const lines: string[] = [];
    await showOutboundCall(house.env, { trunkId: id, from: '1555', to, ip }, { code: 200, talk_seconds: 60 }, (line) =>
      lines.push(line),
    );
    return lines.join('\n');
  };
  const told = await show('4930123');
  expect(told).toContain('1555 calls 4930123 from 192.0.2.0 through "dialer"');
  expect(told).toContain('shown as 1555, 0.60 a minute (Germany)');
  expect(told).toContain('200 Bye after 60 s, charged 0.60');
  expect(await show('33123')).toContain('refused with 404: No rate to this destination');
  expect(await show('4930123', '198.51.100.1')).toContain('refused with 403: Not authorized');
  await expect(
    showOutboundCall(
      house.env,
      { trunkId: 'x', from: '1', to: '2', ip: null },
      { code: 200, talk_seconds: 1 },
      () => undefined,
    ),
  ).rejects.toThrow('There is no outbound trunk x');
});

test('nonsense is refused before anything is opened', async () => {
  await expect(execute('call simulate-out', 't', '1', '2', '--code', 'busy')).rejects.toThrow(
    '--code must be a SIP status such as 486, not',
  );
});
