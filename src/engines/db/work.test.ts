/** Whose work a statement is, and how long it stays so. */
import { expect, test } from 'vitest';
import { besideRequest, ClientPresence, currentWork, type RequestWork, runAsWork } from './work.ts';

test('what several requests share stays in their lane, belongs to no account, and outlives the one that began it', () => {
  const client = new ClientPresence();
  const work: RequestWork = { lane: 'platform', client, reads: true, accountId: 'a', waitedMs: 5, ended: false };
  const seen = runAsWork(work, () =>
    besideRequest(() => {
      client.leave();
      work.ended = true;
      return currentWork();
    }),
  );
  expect(seen).toMatchObject({ lane: 'platform', accountId: null, reads: false, waitedMs: 0, ended: false });
  expect(seen?.client.isGone).toBe(false);
  expect(besideRequest(currentWork)).toBeNull();
});
