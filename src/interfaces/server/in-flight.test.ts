/** How many requests may be in work, by interface and account. */
import { expect, test } from 'vitest';
import { isUnavailable, Overloaded } from '../../engines/db/unavailable.ts';
import { InFlight } from './in-flight.ts';
import { laneOf } from './overload.ts';

const limits = { platform: 3, verification: 1, perAccount: 2 };

test('the platform fills up without taking the room of codes, and has room again afterwards', () => {
  const inFlight = new InFlight(limits);
  const [first] = [
    inFlight.enter('platform', () => 'x'),
    inFlight.enter('platform', () => 'x'),
    inFlight.enter('platform', () => 'x'),
  ];
  expect(inFlight.enter('platform', () => 'x')).toBeNull();
  expect(inFlight.enter('verification', () => 'x')).not.toBeNull();
  expect(inFlight.enter('verification', () => 'x')).toBeNull();
  first?.leave();
  expect(inFlight.enter('platform', () => 'x')).not.toBeNull();
});

test('one account has only its share', () => {
  const inFlight = new InFlight(limits);
  const first = inFlight.enter('platform', () => 'x');
  first?.chargeTo('a');
  inFlight.enter('platform', () => 'x')?.chargeTo('a');
  const third = inFlight.enter('platform', () => 'x');
  expect(() => third?.chargeTo('a')).toThrow(Overloaded);
  expect(() => third?.chargeTo('b')).not.toThrow();
  third?.leave();
  first?.leave();
  expect(() => inFlight.enter('platform', () => 'x')?.chargeTo('a')).not.toThrow();
});

test('a caller whose account has too many is known before it is authenticated, until there is room again', () => {
  const inFlight = new InFlight({ platform: 5, verification: 5, perAccount: 1 });
  const first = inFlight.enter('platform', () => 'caller');
  first?.chargeTo('a');
  expect(inFlight.isFull('platform', () => 'caller')).toBe(false);
  expect(() => inFlight.enter('platform', () => 'caller')?.chargeTo('a')).toThrow(Overloaded);
  expect([inFlight.isFull('platform', () => 'caller'), inFlight.isFull('platform', () => 'other')]).toEqual([
    true,
    false,
  ]);
  first?.leave();
  expect(inFlight.isFull('platform', () => 'caller')).toBe(false);
});

test('an account has its share of codes beside that of the platform', () => {
  const inFlight = new InFlight({ platform: 2, verification: 3, perAccount: 1 });
  inFlight.enter('platform', () => 'x')?.chargeTo('a');
  inFlight.enter('verification', () => 'x')?.chargeTo('a');
  expect(() => inFlight.enter('verification', () => 'x')?.chargeTo('a')).toThrow(Overloaded);
  expect(() => inFlight.enter('verification', () => 'x')?.chargeTo('b')).not.toThrow();
});

test('an overload is a reason to try again', () => {
  expect(isUnavailable(new Overloaded('busy'))).toBe(true);
});

test('operators are counted apart: neither they nor customers take the places of the other', () => {
  expect(['/operator/v1/accounts', '/operator/v1?x', '/operator/docs', '/v3/dids'].map(laneOf)).toEqual([
    ...['operator', 'operator', null, 'platform'],
  ]);
  const inFlight = new InFlight({ platform: 1, verification: 1, perAccount: 1, operator: 1 });
  expect(inFlight.enter('platform', () => 'x')).not.toBeNull();
  expect(inFlight.enter('operator', () => 'x')).not.toBeNull();
  expect(inFlight.enter('operator', () => 'x')).toBeNull();
  expect(inFlight.isFull('verification', () => 'x')).toBe(false);
});
