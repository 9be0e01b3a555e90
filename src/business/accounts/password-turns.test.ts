/** How many passwords are checked at once, and who waits. */
import { expect, test } from 'vitest';
import { Overloaded } from '../../engines/db/unavailable.ts';
import { passwordTurns, withPasswordTurn } from './password-turns.ts';

test('few at once, few more waiting, and a share for each address', async () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    running -= 1;
    return 'done';
  };
  const one = Array.from({ length: 20 }, () => withPasswordTurn('192.0.2.1', work));
  const refused = await Promise.allSettled(one.slice(passwordTurns.perAddress));
  expect(refused.every((each) => each.status === 'rejected' && each.reason instanceof Overloaded)).toBe(true);
  const others = Array.from({ length: 60 }, (_, n) => withPasswordTurn(`198.51.100.${n}`, work));
  const settled = Promise.allSettled([...one, ...others]);
  gate.resolve();
  const results = await settled;
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(
    passwordTurns.atOnce + passwordTurns.waiting,
  );
  expect(most).toBe(passwordTurns.atOnce);
  expect(await withPasswordTurn('192.0.2.1', async () => 'free again')).toBe('free again');
});
