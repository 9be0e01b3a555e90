/** Who sees the credentials of the demo account. */
import { describe, expect, test } from 'vitest';
import type { Demo } from '../../interfaces/bootstrap/demo.ts';
import { filledIn, isLocal } from '../../interfaces/server/docs/demo-access.ts';
import { demoAccessOf } from './demo.ts';

const application = { name: 'demo', key: 'application-key', secret: 'application-secret' };
const demo: Demo = {
  file: '',
  recordsFile: '',
  made: {
    catalogue: 'demo',
    carriers: [],
    operators: [],
    accounts: [
      {
        name: 'Demo',
        email: 'demo@trunkline.test',
        password: 'a long password',
        balance: '1000.00',
        credit: '0.00',
        api_version: null,
        api_keys: [{ name: 'demo', key: 'the demo key' }],
        callback_secret: null,
        call_events: null,
        otp_applications: [
          { ...application, minimum_mode: 'public', callback_url: null, code_timeout: 300, code_length: 6 },
        ],
      },
    ],
  },
};
const local = { host: '127.0.0.1', publicUrl: null, trustedProxies: [] };
const accessOf = (found: Demo | undefined, { host, publicUrl, trustedProxies }: Settings) =>
  demoAccessOf(found, { name: 'sandbox', publicUrl }, { host, trustedProxies });
type Settings = { host: string; publicUrl: string | null; trustedProxies: string[] };

describe('the credentials of the demo account may be filled in', () => {
  test.each(['127.0.0.1', '127.8.0.1', 'localhost', '::1'])('on a server bound to %s', async (host) => {
    const access = await accessOf(demo, { ...local, host });
    expect(access).toMatchObject({ apiKey: 'the demo key', application });
    expect(access && filledIn(access)).toEqual({
      'api-key': 'the demo key',
      application: 'application-key:application-secret',
    });
  });

  test.each<[string, Partial<Settings>]>([
    ['bound to every address', { host: '0.0.0.0' }],
    ['bound to every address of IPv6', { host: '::' }],
    ['bound to an address of the network', { host: '192.0.2.7' }],
    ['bound to a name that only begins like a local one', { host: 'localhost.example' }],
    ['with a public URL', { publicUrl: 'https://numbers.example' }],
    ['behind trusted proxies', { trustedProxies: ['127.0.0.1'] }],
  ])('never on a server %s', async (_case, settings) => {
    expect(await accessOf(demo, { ...local, ...settings })).toBeNull();
  });

  test('never where no demo account was made', async () => {
    expect(await accessOf(undefined, local)).toBeNull();
    expect(
      await accessOf(
        { file: '', recordsFile: '', made: { catalogue: 'demo', carriers: [], accounts: [], operators: [] } },
        local,
      ),
    ).toBeNull();
  });
});

describe('a request sees them', () => {
  const seen = (remoteAddress: string, headers: Record<string, string>) =>
    isLocal({ headers, socket: { remoteAddress } });

  test.each([
    ['127.0.0.1', 'localhost:8081'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]:8081'],
    ['::ffff:127.0.0.1', '127.0.0.1:8081'],
  ])('from %s with Host %s', (address, host) => {
    expect(seen(address, { host })).toBe(true);
  });

  test.each<readonly [string, string, Record<string, string>]>([
    ['from another machine', '192.0.2.7', { host: 'localhost:8081' }],
    ['without Host', '127.0.0.1', {}],
    ['with a Host that only resolves to this machine', '127.0.0.1', { host: 'rebound.example:8081' }],
    ['with a Host that begins like a local one', '127.0.0.1', { host: 'localhost.example' }],
    ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'].map(
      (name) => [`with ${name}`, '127.0.0.1', { host: 'localhost', [name]: 'x' }] as const,
    ),
  ])('but not %s', (_case, address, headers) => {
    expect(seen(address, headers)).toBe(false);
  });
});
