/** Limits of risk classes as an operator sends them. */
import { expect, test } from 'vitest';
import { addOperator } from '../../../../test/support/operator.ts';
import { document } from '../../../../test/support/paperwork.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());

test('a limit for no account is the one of all accounts: there is one already', async () => {
  const owner = await addOperator(server, 'owner');
  const response = await owner.client.post(
    '/risk_limits',
    document('risk_limits', { risk: 'high', daily_limit: '5.0' }, { account: null }),
  );
  expect([response.status, response.errors[0]?.detail]).toEqual([
    422,
    expect.stringContaining('a limit for this class'),
  ]);
});
