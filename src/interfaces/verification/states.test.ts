/** Lists compute a verification's state in SQL; it is what the response to its owner says, at any moment. */
import { expect, it } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';
import { asVerification, stateAt, stateSql } from './verification.ts';

const server = useOpened(() => startVerificationServer());

it('a state is the same in SQL', async () => {
  const client = await server.client({ codeTimeout: 300 });
  const brief = await server.client({ codeTimeout: 60 });
  // Of the sandbox's fixed numbers: delivered, refused by the provider, never dispatched.
  for (const destination of ['19995550110', '19995550120', '19995550140'])
    for (const each of [client, brief]) await each.start({ destination, delivery_method: 'sms' });
  await server.dispatch();
  const { status, errorCode } = stateSql('$1::timestamptz', 't');
  const seen = new Set<string>();
  for (const seconds of [0, 59, 1, 59, 1, 179, 1, 100]) {
    server.clock.advance(seconds);
    const now = server.clock.now();
    const { rows } = await server.env.pool.query(
      `select t.*, ${status} as shown, ${errorCode} as reason from verifications t`,
      [now],
    );
    for (const { shown, reason, ...row } of rows) {
      expect({ status: shown, errorCode: reason }).toEqual(stateAt(asVerification(row), now));
      seen.add(`${shown} ${reason}`);
    }
  }
  expect([...seen].sort()).toEqual([
    'expired expired',
    'failed dispatch_failed',
    'failed stale_dispatch',
    'pending null',
  ]);
});
