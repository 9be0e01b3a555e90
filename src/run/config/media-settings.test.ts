/** The settings of media: what they mean, and how a wrong one is refused. */
import { describe, expect, it } from 'vitest';
import { readConfig } from './read-config.ts';

const media = (variables: Record<string, string> = {}) => readConfig(variables).media;

it('relays media in this process, on ports below those of the system', () => {
  expect(media()).toEqual({
    ...{ engine: 'embedded', hosts: [], advertised: [], mostTranscoded: 0 },
    ...{ ports: { from: 20_000, to: 29_999 }, arePortsChosen: false },
  });
});

it('follows SIP: any free ports where those of SIP are any', () => {
  expect(media({ TRUNKLINE_PORT: '0', TRUNKLINE_SANDBOX_PORT: '0' }).ports).toBeNull();
  expect(media({ TRUNKLINE_PORT: 'off', TRUNKLINE_SANDBOX_PORT: '0' }).ports).toBeNull();
  expect(media({ TRUNKLINE_PORT: '0', TRUNKLINE_SANDBOX_SIP_PORT: '5070' }).ports).not.toBeNull();
  expect(media({ TRUNKLINE_PORT: '0', TRUNKLINE_SANDBOX_PORT: '0', TRUNKLINE_MEDIA_PORTS: '4000-4003' })).toMatchObject(
    {
      ...{ ports: { from: 4000, to: 4003 }, arePortsChosen: true },
    },
  );
  expect(media({ TRUNKLINE_MEDIA_PORTS: '0' }).ports).toBeNull();
});

it('reads the control ports of rtpengine', () => {
  expect(media({ TRUNKLINE_MEDIA: 'rtpengine:media.example.com:2223, [2001:db8::5]:2224' })).toMatchObject({
    engine: 'rtpengine',
    hosts: [
      { host: 'media.example.com', port: 2223 },
      { host: '2001:db8::5', port: 2224 },
    ],
  });
  expect(media({ TRUNKLINE_MEDIA: 'direct' }).engine).toBe('direct');
});

describe('a wrong setting is refused in one sentence that names it', () => {
  it.each([
    ...['on', 'rtpengine', 'rtpengine:', 'rtpengine:host', 'rtpengine:host:0', 'rtpengine:a:1,', 'rtpengine:2001::1:5'],
  ])('TRUNKLINE_MEDIA=%s', (text) => {
    expect(() => media({ TRUNKLINE_MEDIA: text })).toThrow(
      `TRUNKLINE_MEDIA must be embedded, direct, or rtpengine:HOST:PORT with further ones after commas, not "${text}".`,
    );
  });

  it.each([
    ['many', 'must be ports from 1024 to 65535 such as 20000-29999, or 0 for any, not "many".'],
    ['20000', 'must be ports from 1024 to 65535'],
    ['29999-20000', 'must be ports from 1024 to 65535'],
    ['80-99', 'must be ports from 1024 to 65535'],
    ['60000-65537', 'must be ports from 1024 to 65535'],
    ['20001-20100', 'must begin with an even port and end with an odd one, as media take them in pairs'],
    ['20000-20001', 'must have at least 4 ports, which is one call, not "20000-20001".'],
  ])('TRUNKLINE_MEDIA_PORTS=%s', (text, sentence) => {
    expect(() => media({ TRUNKLINE_MEDIA_PORTS: text })).toThrow(`TRUNKLINE_MEDIA_PORTS ${sentence}`);
  });

  it('transcoding without rtpengine', () => {
    const allowed = { TRUNKLINE_MEDIA_TRANSCODING: '20' };
    expect(() => media(allowed)).toThrow(
      'TRUNKLINE_MEDIA_TRANSCODING 20 needs rtpengine, and TRUNKLINE_MEDIA is embedded; only rtpengine transcodes.',
    );
    expect(() => media({ ...allowed, TRUNKLINE_MEDIA: 'direct' })).toThrow('TRUNKLINE_MEDIA is direct');
    expect(media({ ...allowed, TRUNKLINE_MEDIA: 'rtpengine:localhost:2223' }).mostTranscoded).toBe(20);
    expect(() => media({ TRUNKLINE_MEDIA_TRANSCODING: 'allowed' })).toThrow(
      'TRUNKLINE_MEDIA_TRANSCODING must be a whole number',
    );
  });

  it('a SIP port within the range, unless nobody binds it', () => {
    const inside = { TRUNKLINE_MEDIA_PORTS: '5000-5999' };
    expect(() => media(inside)).toThrow(
      'The SIP port 5060 lies within TRUNKLINE_MEDIA_PORTS 5000-5999; choose another range.',
    );
    expect(media({ ...inside, TRUNKLINE_MEDIA: 'direct' }).engine).toBe('direct');
  });
});
