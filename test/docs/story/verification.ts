/** The fourth part of the story: a telephone number is verified with a code. */
import type { Recorder } from '../../support/recorder.ts';

export async function verifyNumber(recorder: Recorder, application: string): Promise<void> {
  const send = recorder.send.bind(recorder);
  const headers = { authorization: `Application ${application}` };
  await send('GET', '/sandbox/v1/scenarios');
  const data = { destination: '+4915112345678', delivery_method: 'sms', sms: { languages: ['de-DE', 'en-US'] } };
  const { body } = await send('POST', '/api/v1/verifications', { as: 'By SMS', body: { data }, headers });
  const { id } = body.data;
  await send('POST', '/sandbox/v1/clock', { body: { advance_seconds: 60 } });
  const { body: inbox } = await send('GET', '/sandbox/v1/messages?destination=4915112345678');
  const report = (code: string) => ({ data: { delivery_method: 'sms', code } });
  await send('GET', `/api/v1/verifications/${id}`, { headers });
  await send('GET', '/api/v1/verifications/by_number/4915112345678', { headers });
  await send('PATCH', `/api/v1/verifications/${id}`, { body: report(String(inbox.messages[0]?.code)), headers });
  await send('PATCH', '/api/v1/verifications/by_number/4915112345678', {
    body: report(String(inbox.messages[0]?.code)),
    headers,
  });
  const callout = { destination: '+4915112345679', delivery_method: 'callout', callout: { languages: ['en-US'] } };
  await send('POST', '/api/v1/verifications', { as: 'By phone call', body: { data: callout }, headers });
}
