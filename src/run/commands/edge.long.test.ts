/** The configuration of the edge, accepted by Kamailio itself. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { execute } from '../../../test/support/commands.ts';
import { exampleEdge } from '../../business/edge/edge-settings.ts';
import { edgeFiles } from '../../business/edge/kamailio-config.ts';

const kept = (name: string): Promise<string> => readFile(path.join(import.meta.dirname, '../../../edge', name), 'utf8');

test('the files in edge/ are what the command writes', async () => {
  for (const [name, content] of Object.entries(edgeFiles(exampleEdge))) expect(await kept(name)).toBe(content);
});

test('Kamailio accepts it, with and without media, flood exemptions and IPv6', async () => {
  const local = ['--listen', 'udp:127.0.0.1:5060', '--listen', 'tcp:127.0.0.1:5060', '--worker', '127.0.0.1:5070'];
  const plain = await execute('edge config', ...local, '--check');
  expect(plain.join('\n')).toContain('ds_is_from_list("1", "2")');
  expect(plain.join('\n')).not.toContain('rtpengine');
  const carrier = ['--exempt', '192.0.2.0/24', '--exempt', '2001:db8::/32', '--listen', 'udp:[::1]:5060'];
  const full = await execute('edge config', ...local, ...carrier, '--rtpengine', 'udp:127.0.0.1:2223', '--check');
  expect(full.join('\n')).toContain('is_in_subnet("$si", "2001:db8::/32")');
});

test.each([
  [['--listen', 'sctp:127.0.0.1:1'], '--listen must be a socket such as'],
  [['--worker', '10.0.0.1'], '--worker must be an address and a port'],
  [['--listen', 'tls:127.0.0.1:5061'], 'needs --certificate and --key'],
  [['--folder', '/etc/"x'], '--folder must be a path without quotation marks'],
  [['--exempt', '192.0.2.1'], '--exempt must be a network such as'],
])('%j is refused', async (options, message) => {
  await expect(execute('edge config', ...options)).rejects.toThrow(message);
});
