import { expect, test } from 'vitest';
import { InFlight } from './in-flight.ts';
import { isUnavailable, Overloaded } from './unavailable.ts';

const limits = { platform: 3, perAccount: 2, verification: 1 };

test('the platform fills up without taking the room of codes, and has room again afterwards', () => {
  const inFlight = new InFlight(limits);
  const [first] = [inFlight.enter('platform'), inFlight.enter('platform'), inFlight.enter('platform')];
  expect(inFlight.enter('platform')).toBeNull();
  expect(inFlight.enter('verification')).not.toBeNull();
  expect(inFlight.enter('verification')).toBeNull();
  first?.leave();
  expect(inFlight.enter('platform')).not.toBeNull();
});

test('one account has only its share', () => {
  const inFlight = new InFlight(limits);
  const first = inFlight.enter('platform');
  first?.chargeTo('a');
  inFlight.enter('platform')?.chargeTo('a');
  const third = inFlight.enter('platform');
  expect(() => third?.chargeTo('a')).toThrow(Overloaded);
  expect(() => third?.chargeTo('b')).not.toThrow();
  third?.leave();
  first?.leave();
  expect(() => inFlight.enter('platform')?.chargeTo('a')).not.toThrow();
});

test('an overload is a reason to try again', () => {
  expect(isUnavailable(new Overloaded('busy'))).toBe(true);
});
