/** Which addresses count as public, and which an operator opens. */
import { describe, expect, test } from 'vitest';
import { addressPolicy, rangeList } from './address-policy.ts';

const closed = addressPolicy({ allowEverything: false, allowedRanges: [] });

describe('addresses that are not public are refused', () => {
  test.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::ffff:0:127.0.0.1',
    '::ffff:0:7f00:1',
    '0:0:0:0:ffff:0:a9fe:a9fe',
    '::ffff:0:0:0',
    '64:ff9b:1:7f00:1::',
    '64:ff9b::169.254.169.254',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '100::1',
    '4000::1',
    '2606:4700::5efe:10.0.0.1',
    '2606:4700::200:5efe:a00:1',
    'not an address',
    '',
  ])('%s', (address) => {
    expect(closed.allows(address)).toBe(false);
  });
});

test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])('%s is public', (address) => {
  expect(closed.allows(address)).toBe(true);
});

test('an operator opens a range, also for its mapped form, and nothing beside it', () => {
  const opened = addressPolicy({ allowEverything: false, allowedRanges: ['10.1.0.0/16', '::1'] });
  expect(opened.allows('10.1.2.3')).toBe(true);
  expect(opened.allows('::ffff:10.1.2.3')).toBe(true);
  expect(opened.allows('10.2.0.1')).toBe(false);
  expect(opened.allows('::1')).toBe(true);
  expect(opened.allows('127.0.0.1')).toBe(false);
});

test('everything but nonsense passes in a sandbox on loopback', () => {
  const sandbox = addressPolicy({ allowEverything: true, allowedRanges: [] });
  expect(sandbox.allows('127.0.0.1')).toBe(true);
  expect(sandbox.allows('somewhere')).toBe(false);
});

test.each(['10.0.0.0/33', '10.0.0.0/', 'loopback', '::/129', '1.2.3.4/8/8', '10.0.0.0/x'])(
  '%s is not a range',
  (range) => {
    expect(() => rangeList([range])).toThrow('is not an address range');
  },
);
