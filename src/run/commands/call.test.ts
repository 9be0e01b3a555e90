/** The command that simulates a call. */
import { expect, test } from 'vitest';
import { execute } from '../../../test/support/commands.ts';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { createTelephony } from '../../../test/support/telephony.ts';
import { useOpened } from '../../../test/support/use.ts';
import { showCall } from './call.ts';

const house = useOpened(() => createTestEnvironment());

test('the ladder says what happened and why', async () => {
  const receiver = await startReceiver();
  const telephony = await createTelephony(house.env);
  const accountId = await telephony.account({ callEvents: { url: receiver.url, gzip: false } });
  const group = await telephony.trunkGroup(accountId);
  await telephony.trunk(
    accountId,
    { name: 'first', priority: 1, voice_in_trunk_group_id: group },
    { rerouting_disconnect_code_ids: [90] },
  );
  await telephony.trunk(accountId, { name: 'second', priority: 2, voice_in_trunk_group_id: group });
  const { number } = await telephony.did(accountId, { voice_in_trunk_group_id: group });
  const lines: string[] = [];
  await showCall(
    house.env,
    { didNumber: number, srcNumber: '1555' },
    { outcomes: [{ code: 486, ring_seconds: 3 }, { code: 200 }], talk_seconds: 30 },
    (line) => lines.push(line),
  );
  await receiver.close();
  const text = lines.join('\n');
  for (const said of [
    `1555 calls ${number}`,
    'priority 1, weight 65535: "first"',
    'channel: included',
    `     0.0 s  ──▶ INVITE sip:${number}@sip.example.net:5060 (trunk "first")`,
    '     3.0 s  ◀── 486 Busy Here',
    'listed for rerouting',
    '(trunk "second")',
    '    33.0 s  ■ completed, 200 Bye',
    'incoming-call-end-event: delivered (200)',
  ]) {
    expect(text).toContain(said);
  }
});

test('nonsense is refused before anything is opened', async () => {
  const run = (...args: string[]) => execute('call simulate', ...args);
  await expect(run('4420', '--outcomes', 'busy')).rejects.toThrow(
    'An outcome must be a SIP status such as 486 or "timeout", not "busy".',
  );
  await expect(run('4420', '--talk', 'long')).rejects.toThrow('--talk must be a number of seconds, not "long".');
  await expect(run()).rejects.toThrow('NUMBER is missing');
});
