/** Playing the reviewer through the control interface. */
import { expect, it } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const server = useOpened(() => startTestServer());

const decide = (type: string, body: object) =>
  checkedFetch(`${server.url}/sandbox/v1/${type}/7c9e6679-7425-40de-944b-e07fc1f90ae7/decision`, {
    method: 'POST',
    headers: { 'api-key': server.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

it.each(['address_verifications', 'emergency_verifications'])(
  'a rejection of %s needs a reason, as on the command line',
  async (type) => {
    for (const reasons of [undefined, [], [' ']]) {
      const response = await decide(type, { action: 'reject', reasons });
      expect(response.status).toBe(422);
      expect(await response.json()).toEqual({ error: 'reasons must name at least one reason for a rejection' });
    }
    expect((await decide(type, { action: 'reject', reasons: ['unreadable'] })).status).toBe(404);
    expect((await decide(type, { action: 'approve' })).status).toBe(404);
  },
);
