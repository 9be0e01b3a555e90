/** Examples of `/api/v1` for the API reference; responses are serialised by the code that serialises real ones. */
import type { Example } from '../../engines/openapi/types.ts';
import type { OutcomeCode } from './errors.ts';
import { serialise } from './responses.ts';
import type { VerificationRow } from './verification.ts';

type Examples = Readonly<Record<string, Example>>;

const at = new Date('2026-11-02T09:30:00Z');
const after = (seconds: number) => new Date(at.getTime() + seconds * 1000);

function shown(
  delivery_method: 'sms' | 'callout',
  status: VerificationRow['status'],
  error_code: OutcomeCode | null = null,
  app_hash: string | null = null,
): unknown {
  const row = {
    id: '0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d',
    destination: '4915112345678',
    delivery_method,
    status,
    error_code,
    fee: '0.0500',
    language: 'de-DE',
    app_hash,
    code_length: 6,
    code_timeout: 300,
    created_at: at,
    expires_at: after(300),
    dispatched_at: status === 'denied' ? null : after(1),
  };
  return { data: serialise(row, after(20)) };
}

const example = (summary: string, value: unknown): Example => ({ summary, value });
const pending = example('Waits for its code', shown('sms', 'pending'));
const verified = example('The right code was reported', shown('sms', 'verified'));
const tooMany = example('Three wrong codes were reported', shown('sms', 'failed', 'too_many_attempts'));

export const bodyExamples: Record<'start' | 'started' | 'report' | 'reported' | 'read', Examples> = {
  start: {
    sms: example('By text message', {
      data: { destination: '+4915112345678', delivery_method: 'sms', sms: { languages: ['de-DE', 'en-GB'] } },
    }),
    app_hash: example('By text message, read by an Android application', {
      data: {
        destination: '+4915112345678',
        delivery_method: 'sms',
        sms: { languages: ['de-DE'], app_hash: 'FA+9qCX9VSu' },
      },
    }),
    callout: example('By phone call', {
      data: { destination: '+4915112345678', delivery_method: 'callout', callout: { languages: ['de-DE'] } },
    }),
  },
  started: {
    sms: pending,
    app_hash: example('With an application hash', shown('sms', 'pending', null, 'FA+9qCX9VSu')),
    callout: example('By phone call', shown('callout', 'pending')),
    denied: example('Denied by the callback', shown('sms', 'denied', 'denied_by_callback')),
  },
  report: {
    sms: example('The code of a text message', { data: { delivery_method: 'sms', code: '123456' } }),
    callout: example('The code of a call', { data: { delivery_method: 'callout', code: '004217' } }),
  },
  reported: { verified, too_many_attempts: tooMany },
  read: { pending, verified, too_many_attempts: tooMany },
};
