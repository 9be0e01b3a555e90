/** Commands that list, watch and show traces of calls. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { createTelephony } from '../../../test/support/telephony.ts';
import { useOpened } from '../../../test/support/use.ts';
import { arrive } from '../../business/voice/inbound/arrive.ts';
import { watchCalls } from '../../business/voice/trace/watch.ts';
import { voiceOf } from '../../business/voice/voice.ts';
import { connectionOf } from '../../engines/db/pool.ts';

const house = useOpened(() => createTestEnvironment({ at: new Date().toISOString() }));
const place = useOpened(() => openCommandPlace());

const sdp =
  'v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/SAVP 8\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0\r\n';

const invite = (to: string, callId: string): Buffer =>
  Buffer.from(
    [
      `INVITE sip:${to}@198.51.100.1 SIP/2.0`,
      'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1',
      'From: <sip:1555@192.0.2.1>;tag=1',
      `To: <sip:${to}@198.51.100.1>`,
      `Call-ID: ${callId}`,
      'CSeq: 1 INVITE',
      'Authorization: Digest username="u", realm="r", nonce="n", uri="sip:x", response="deadbeef"',
      'Content-Type: application/sdp',
      `Content-Length: ${sdp.length}`,
      '',
      sdp,
    ].join('\r\n'),
  );

afterAll(() => void vi.unstubAllEnvs());

test('a call is listed, watched, shown with its messages, and opened by tshark', async () => {
  const { env } = house;
  vi.stubEnv('SANDBOX_DATABASE_URL', connectionOf(env.pool));
  const telephony = await createTelephony(env);
  const accountId = await telephony.account({ name: 'Watched' });
  const trunkId = await telephony.trunk(accountId, { name: 'office' });
  const { number } = await telephony.did(accountId, { voice_in_trunk_id: trunkId });
  const voice = await voiceOf(env);
  const here = { transport: 'UDP', address: '198.51.100.1', port: 5060 } as const;
  const carrier = { transport: 'UDP', address: '192.0.2.1', port: 5060 } as const;
  const pbx = { transport: 'TLS', address: '2001:db8::7', port: 5061 } as const;

  const watched: string[] = [];
  const stop = new AbortController();
  const watching = watchCalls(
    env,
    { number },
    ({ entries }) => watched.push(...entries.map(({ text }) => text)),
    stop.signal,
  );
  voice.recorder.message('in', invite(number, 'a@carrier'), carrier, here);
  const arrived = await arrive(voice, { didNumber: number, srcNumber: '1555', callId: 'a@carrier' });
  if (arrived.refusal !== null) throw new Error('refused');
  const legB = arrived.live.call.attempts.at(-1)?.callId ?? '';
  voice.recorder.message('out', invite(number, legB), pbx, { ...here, address: '2001:db8::1' });
  await voice.recorder.flush();
  await expect.poll(() => watched.filter((text) => text.startsWith('INVITE')).length).toBe(2);
  stop.abort();
  await watching;
  await voice.stop();

  const listed = await run('call list', '--number', number);
  expect(listed[1]).toMatch(new RegExp(`in +1555 +${number} +office`));
  const shown = (await run('call trace', legB)).join('\n');
  expect(shown).toContain('leg A, carrier: Call-ID a@carrier');
  expect(shown).toMatch(/0\.\d{3} s {2}A ──▶ │ +INVITE/);
  expect(shown).toContain('channel: included');
  expect(shown).toContain('m=audio 4000 RTP/SAVP 8');
  expect(shown).not.toMatch(/deadbeef|c2VjcmV0/);
  expect((await run('call trace', 'a@carrier', '--short')).join('\n')).not.toContain('m=audio');

  const file = path.join(place.folder, 'call.pcap');
  expect(await run('call trace', legB, '--pcap', file)).toEqual([`Wrote 2 messages to ${file}.`]);
  const fields = [
    '-T',
    'fields',
    '-e',
    'ip.src',
    '-e',
    'ipv6.dst',
    '-e',
    'udp.dstport',
    '-e',
    'sip.Call-ID',
    '-e',
    'sdp.media',
  ];
  const { stdout, stderr } = spawnSync(
    'tshark',
    ['-r', file, '-o', 'udp.check_checksum:TRUE', ...fields, '-e', 'udp.checksum.status'],
    { encoding: 'utf8' },
  );
  expect(stdout.trim().split('\n'), stderr).toEqual([
    `192.0.2.1\t\t5060\ta@carrier\taudio 4000 RTP/SAVP 8\t1`,
    `\t2001:db8::7\t5061\t${legB}\taudio 4000 RTP/SAVP 8\t1`,
  ]);
});

test('refusals are listed with their rule', async () => {
  const lines = await run('call refusals', '--rule', 'unlisted_source');
  expect(lines).toEqual(['No call was refused.']);
  await expect(run('call trace', 'nothing')).rejects.toThrow('There is no recent call nothing in sandbox.');
  await expect(run('call list', '--trunk', 'x')).rejects.toThrow('--trunk must be the id of a trunk');
});
