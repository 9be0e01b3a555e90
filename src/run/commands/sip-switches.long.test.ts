/** The command that sets the SIP switches of a trunk. */
import { expect, test } from 'vitest';
import { ask } from '../../../test/support/boot.ts';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';

const place = useOpened(() => openCommandPlace());

const said = async (command: string, ...args: string[]): Promise<string> => (await run(command, ...args)).join('\n');

test('trunk sip changes the switches that are given, keeps the others, and is audited', async () => {
  await said('account create', 'Old equipment');
  const [trunk] = await ask<{ id: string }>(
    place.url,
    `insert into voice_in_trunks (account_id, name, configuration_type, configuration, created_at)
     select id, 'old', 'sip_configurations', '{}', now() from accounts where name = 'Old equipment' returning id`,
  );
  const id = trunk?.id ?? '';
  const set = (...args: string[]) => said('trunk sip', id, ...args);
  expect(await set('--user-phone', 'on')).toBe(
    `Trunk ${id}: user=phone on, reliable responses supported, phones ring together.`,
  );
  expect(await set('--reliable', 'required', '--reason', 'insists')).toBe(
    `Trunk ${id}: user=phone on, reliable responses required, phones ring together.`,
  );
  expect(await set('--contacts', 'one-by-one')).toContain('phones ring one by one.');
  expect(await ask(place.url, 'select ringing_contacts from voice_in_trunks')).toEqual([
    { ringing_contacts: 'one_by_one' },
  ]);
  await set('--contacts', 'together', '--reason', 'insists');
  const stored = 'select user_phone, reliable_provisionals from voice_in_trunks';
  expect(await ask(place.url, stored)).toEqual([{ user_phone: true, reliable_provisionals: 'required' }]);
  const [entry] = JSON.parse(await said('audit list', '--json'));
  expect(entry).toMatchObject({
    ...{ action: 'voice_in_trunk.updated', reason: 'insists' },
    before: { contacts: 'one_by_one' },
    after: { contacts: 'together' },
  });
  await expect(set()).rejects.toThrow('Nothing is given that could be changed.');
  await expect(set('--reliable', 'always')).rejects.toThrow('--reliable must be "off" or "supported" or "required"');
  await expect(set('--contacts', 'both')).rejects.toThrow('--contacts must be "together" or "one-by-one"');
  await expect(set('--user-phone', 'yes')).rejects.toThrow('--user-phone must be "on" or "off"');
  const unknown = '0192f3a4-0000-7000-8000-000000000000';
  for (const wrong of [unknown, 'no-id'])
    await expect(said('trunk sip', wrong, '--reliable', 'off')).rejects.toThrow(`There is no inbound trunk ${wrong}`);
});
