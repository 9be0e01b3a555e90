/** The fourth part of the story: a telephone number is verified with a code. */
import type { Recorder } from '../../support/recorder.ts';

/** The sandbox always sends these numbers the code 123456, so that the examples can be sent as they are. */
const started = '447700900910';
const reported = '447700900911';
const called = '447700900912';

export async function verifyNumber(
  recorder: Recorder,
  { key, secret }: { key: string; secret: string },
): Promise<void> {
  const send = recorder.send.bind(recorder);
  const headers = { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
  await send('GET', '/sandbox/v1/scenarios');
  const bySms = (destination: string) => ({
    data: { destination: `+${destination}`, delivery_method: 'sms', sms: { languages: ['en-US', 'de-DE'] } },
  });
  await send('POST', '/api/v1/verifications', { as: 'By SMS', body: bySms(started), headers });
  const second = await send('POST', '/api/v1/verifications', { body: bySms(reported), headers, unrecorded: true });
  const { id } = second.body.data;
  await send('POST', '/sandbox/v1/clock', { body: { advance_seconds: 60 } });
  const { body: inbox } = await send('GET', `/sandbox/v1/messages?destination=${reported}`);
  await send('GET', `/api/v1/verifications/${id}`, { headers });
  await send('GET', `/api/v1/verifications/by_number/${reported}`, { headers });
  const body = { data: { delivery_method: 'sms', code: inbox.messages[0]?.code } };
  await send('PATCH', `/api/v1/verifications/${id}`, { body, headers });
  await send('PATCH', `/api/v1/verifications/by_number/${reported}`, { body, headers });
  const callout = { destination: `+${called}`, delivery_method: 'callout', callout: { languages: ['en-US'] } };
  await send('POST', '/api/v1/verifications', { as: 'By phone call', body: { data: callout }, headers });
  await send('POST', '/sandbox/v1/clock', { body: { advance_seconds: 1 }, unrecorded: true });
  const { body: calls } = await send('GET', `/sandbox/v1/messages?destination=${called}`, { as: 'A phone call' });
  await send('GET', `/sandbox/v1/messages/${calls.messages[0]?.id}/audio`);
}
