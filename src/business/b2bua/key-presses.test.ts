/** Key presses as RTP events and in INFO, as a trunk wants them. */
import { expect, test } from 'vitest';
import { keyPressFormat, keyPressIn, receivedKeyPresses } from './key-presses.ts';

const relay = { type: 'application/dtmf-relay', body: Buffer.from('Signal=5\r\nDuration=250\r\n') };
const plain = { type: 'application/dtmf', body: Buffer.from('#') };
const other = { type: 'application/vnd.x', body: Buffer.from('5') };

test.each([
  [0, 'off'],
  [1, 'in RTP'],
  [2, 'dtmf-relay'],
  [3, 'dtmf-relay'],
  [4, 'dtmf'],
  [undefined, 'in RTP'],
])('tx_dtmf_format_id %j is %s', (id, format) => {
  expect(keyPressFormat(id)).toBe(format);
});

test.each([
  [undefined, 'off'],
  [1, 'off'],
  [2, 'in RTP'],
  [3, 'in RTP'],
])('rx_dtmf_format_id %j: key presses in INFO from the trunk are %s', (id, format) => {
  expect(receivedKeyPresses(id)).toBe(format);
});

test('a key press becomes one in the format of the trunk', () => {
  expect(keyPressIn('dtmf', relay)).toEqual({ type: 'application/dtmf', body: Buffer.from('5') });
  expect(String(keyPressIn('dtmf-relay', plain)?.body)).toBe('Signal=#\r\nDuration=160\r\n');
  expect([keyPressIn('dtmf-relay', relay), keyPressIn('dtmf', plain)]).toEqual([relay, plain]);
});

test('none are sent where they are off; what is no key press, or none that can be read, is passed on as it is', () => {
  expect([keyPressIn('off', relay), keyPressIn('off', plain)]).toEqual([null, null]);
  for (const format of ['off', 'dtmf', 'dtmf-relay', 'in RTP', 'as sent'] as const) {
    expect([keyPressIn(format, other), keyPressIn(format, undefined)]).toEqual([other, undefined]);
  }
  const damaged = { ...relay, body: Buffer.from('Signal=55\r\n') };
  expect(keyPressIn('dtmf', damaged)).toBe(damaged);
});
