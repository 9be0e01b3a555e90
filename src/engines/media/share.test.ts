/** A share of an engine: nobody takes all of it. */
import { expect, test } from 'vitest';
import { openEngine } from './embedded/world.fixture.ts';
import { MediaUnavailable } from './media-engine.ts';
import { MediaShare } from './share.ts';

const user = { silent: () => undefined, keyPress: () => undefined, died: () => undefined };

test('carries as many calls as it may, and others when one has ended', async () => {
  const { engine } = openEngine();
  const whole = new MediaShare(engine, 3);
  const [one, other] = [new MediaShare(whole, 2), new MediaShare(whole, 2)];
  const [first] = [one.open('1', user), one.open('2', user)];
  expect(() => one.open('3', user)).toThrow(new MediaUnavailable('As many calls have media as may have them here: 2.'));
  other.open('4', user);
  expect(() => other.open('5', user)).toThrow('As many calls have media as may have them here: 3.');
  await first?.close();
  await first?.close();
  expect(one.state().calls).toBe(1);
  expect(whole.state().calls).toBe(2);
  one.open('6', user);
  expect(() => other.open('7', user)).toThrow(MediaUnavailable);
  // The engine goes on for the others.
  await one.stop();
  expect(engine.state().calls).toBe(3);
});
