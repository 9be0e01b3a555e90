/**
 * Spoken codes side by side: one account's calls do not keep another's waiting, a record ends once; phones that the
 * sandbox rings.
 */
import { expect, test } from 'vitest';
import { type Calling, useCalling, useClosing } from '../../../test/support/calling.ts';
import { openPhone, type PhoneWishes } from '../../../test/support/phones.ts';
import { VerificationClient } from '../../../test/support/verification-client.ts';
import { createApplication } from '../../interfaces/verification/application.writes.ts';
import { changeSettings } from '../../interfaces/verification/settings.ts';
import { createAccount } from '../accounts/accounts.ts';
import { endLostCalls } from './call-records.ts';

const production = useCalling('production');
const sandbox = useCalling('sandbox');
const closing = useClosing();
let numbers = 0;

/** A phone behind a carrier of its own, and the number that leads to it. */
async function phoneIn(calling: Calling, wishes: PhoneWishes) {
  const opened = await openPhone(wishes);
  closing(opened.phone);
  const number = `49152${String(++numbers).padStart(8, '0')}`;
  await calling.addCarrier(opened.target, number);
  return { ...opened, number };
}

async function clientOfAnotherAccount({ env, server }: Calling): Promise<VerificationClient> {
  const { id } = await createAccount(env, { name: 'Other', balance: '100' });
  const { key, secret } = await createApplication(env, id, { name: 'web' });
  return new VerificationClient(server.url, { key, secret: secret.reveal() });
}

async function start(client: VerificationClient, destination: string): Promise<string> {
  const callout = { languages: ['en-US'] };
  return (await client.start({ destination, delivery_method: 'callout', callout })).body.data?.id ?? '';
}

test('one account has as many calls at once as it may, other accounts do not wait for it; a record ends once', async () => {
  await changeSettings(production.env, { accountCalls: 1, ringSeconds: 60 });
  const [busy, other] = [await production.server.client(), await clientOfAnotherAccount(production)];
  const rings = { answerAfterMs: null };
  const [first, second, third] = [
    await phoneIn(production, rings),
    await phoneIn(production, rings),
    await phoneIn(production, rings),
  ];
  await start(busy, first.number);
  await first.until('incoming');
  await start(busy, second.number);
  const taken = await start(other, third.number);
  await third.until('incoming');
  const heard = (phone: typeof first, event: string) => phone.events.some((each) => each.event === event);
  expect([heard(first, 'cancelled'), heard(second, 'incoming')]).toEqual([false, false]);
  // As the next run of its job does after this process was killed. What this process writes later changes nothing.
  await endLostCalls(production.env, taken);
  const lost = { outcome: null, reason: 'the process that placed the call was killed', ended_at: expect.any(Date) };
  expect(await production.calls(taken)).toMatchObject([lost]);
  await production.restartWorker();
  expect((await production.calls(taken))[0]).toMatchObject(lost);
});

test('sandboxCalls=ring rings a phone with the code of the inbox; if that refuses, the verification fails', async () => {
  await changeSettings(sandbox.env, { sandboxCalls: 'ring', ringSeconds: 15 });
  const client = await sandbox.server.client({ codeLength: 4 });
  const [answers, refuses] = [await phoneIn(sandbox, { hangUpAfterMs: 500 }), await phoneIn(sandbox, { reject: 486 })];
  const [rung, refused] = [await start(client, answers.number), await start(client, refuses.number)];
  await answers.until('answered');
  for (const id of [rung, refused]) {
    await expect.poll(async () => (await client.status(id)).body.data?.error_code).toBe('dispatch_failed');
    const sent = await sandbox.env.db.selectFrom('sandbox_messages').selectAll().execute();
    expect(sent.map(({ destination }) => destination)).toContain(id === rung ? answers.number : refuses.number);
  }
  expect(await sandbox.calls(rung)).toMatchObject([{ outcome: 'hung_up_early' }]);
  expect(await sandbox.calls(refused)).toMatchObject([{ outcome: 'not_answered', sip_code: 486 }]);
});
