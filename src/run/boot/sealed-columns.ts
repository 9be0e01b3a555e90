/** Every column that holds a text sealed with the server key, and the purpose it was sealed for. */
import { callbackSecretPurpose } from '../../business/accounts/account-columns.ts';
import { signingKeyPurpose } from '../../business/callbacks/callback-request.ts';
import { signingCertificatePurpose } from '../../business/caller-identity/signing-certificates.ts';
import { mailTextPurpose } from '../../business/mail/outbox.ts';
import { supplierKeyPurpose } from '../../business/suppliers/open-supplier.ts';
import { carrierSecretPurpose } from '../../business/voice/carriers/carriers.ts';
import { streamSecretPurpose } from '../../business/voice/events/stream-settings.ts';
import { totpSecretPurpose } from '../../interfaces/panel/second-factor.ts';
import { privateKeyPurpose } from '../../interfaces/platform/identities/key-pairs.ts';
import { keptAnswerPurpose } from '../../interfaces/platform/repeated-creates.ts';
import { applicationSecretPurpose } from '../../interfaces/verification/application.ts';
import { providerSecretPurpose, receiptSecretPurpose } from '../../interfaces/verification/delivery/provider.ts';

export interface SealedColumn {
  readonly table: string;
  /** What tells its rows apart, as SQL of a UUID; `id` when left out. */
  readonly key?: string;
  readonly column: string;
  readonly purpose: string;
}

const signed = [
  'orders',
  'deliveries',
  'exports',
  'voice_out_trunks',
  'address_verifications',
  'emergency_verifications',
];

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'accounts', column: 'sealed_callback_secret', purpose: callbackSecretPurpose },
  { table: 'panel_logins', column: 'sealed_totp_secret', purpose: totpSecretPurpose },
  { table: 'otp_applications', column: 'sealed_secret', purpose: applicationSecretPurpose },
  { table: 'verification_providers', column: 'sealed_secret', purpose: providerSecretPurpose },
  { table: 'verification_providers', column: 'sealed_receipt_secret', purpose: receiptSecretPurpose },
  { table: 'carriers', column: 'sealed_password', purpose: carrierSecretPurpose },
  { table: 'call_event_streams', key: 'account_id', column: 'sealed_password', purpose: streamSecretPurpose },
  { table: 'call_event_streams', key: 'account_id', column: 'sealed_headers', purpose: streamSecretPurpose },
  { table: 'encryption_keys', column: 'sealed_private_key', purpose: privateKeyPurpose },
  { table: 'signing_certificates', column: 'sealed_private_key', purpose: signingCertificatePurpose },
  {
    table: 'idempotency_keys',
    key: "md5(account_id::text || ' ' || key)::uuid",
    column: 'sealed_answer',
    purpose: keptAnswerPurpose,
  },
  { table: 'suppliers', column: 'sealed_api_key', purpose: supplierKeyPurpose },
  { table: 'mails', column: 'sealed_text', purpose: mailTextPurpose },
  ...signed.map((table) => ({ table, column: 'sealed_signing_key', purpose: signingKeyPurpose })),
];
