/**
 * The audit log: one entry for each act below, by any way, written in the transaction of the act. The database refuses
 * to change or delete entries.
 */
import type { Kysely } from 'kysely';
import { type Actor, nameOf } from '../base/actor.ts';
import type { Schema } from '../engines/db/schema.ts';

/** Every action that is logged, with its line for the API reference. */
export const auditActions = {
  'account.acted_as': 'An operator who acts as a customer asked for a change.',
  'account.closed': 'An account was closed for good.',
  'account.created': 'An account was created.',
  'account.erased': 'The personal data of an account was erased.',
  'account.exported': 'The personal data of an account was exported.',
  'account.record_made': 'An operator who acts as a customer made a record.',
  'account.resumed': 'A suspended account may be used again.',
  'account.suspended': 'An account was suspended, or its suspension was changed.',
  'account.topped_up': 'A payment was added to a balance.',
  'account.updated': 'Settings of an account were changed.',
  'adjustment.created': 'A balance was credited or debited.',
  'api_key.created': 'An account got an API key.',
  'api_key.revoked': 'An API key of an account was revoked.',
  'call_event.replayed': 'A call event was sent again.',
  'call_events.changed': 'Where the call events of an account go was changed.',
  'caller_name.changed': "The own list of callers' names was changed.",
  'carrier.created': 'A carrier was added.',
  'carrier.removed': 'A carrier was removed.',
  'carrier.updated': 'Settings of a carrier were changed.',
  'carrier_rate.changed': 'What a carrier charges was changed.',
  'catalogue.generated': 'Made-up numbers were added to the stock.',
  'catalogue.import_requested': 'A catalogue file was handed in for import.',
  'catalogue.imported': 'A catalogue, or numbers, were imported.',
  'catalogue.repaired': 'Counts of the stock were corrected.',
  'clock.advanced': "The sandbox's clock was moved.",
  'delivery.discarded': 'Callbacks that were to be sent were given up.',
  'delivery.retried': 'Callbacks were sent again.',
  'destination_risk.changed': 'Which class of destinations a prefix belongs to was changed.',
  'emergency_rate.changed': 'What emergency calling costs an account was changed.',
  'encryption_keys.rotated': 'New keys for the encryption of files were made.',
  'file.checked': "A customer's file was tested when it was uploaded.",
  'file.opened': "A customer's file was opened.",
  'file.unreadable': "A customer's file could not be opened.",
  'billing_profile.updated': 'The billing profile of an account was changed, and its country and VAT id confirmed.',
  'invoice.issued': 'An invoice was issued.',
  'job.discarded': 'Jobs that gave up were removed.',
  'job.retried': 'Jobs that gave up were run again.',
  'login.email_changed': 'A login got another e-mail address.',
  'login.link_made': 'An operator made a link that sets a new password.',
  'login.member_changed': 'A person of an account got another role.',
  'login.member_invited': 'A person was invited to an account.',
  'login.member_removed': 'A person of an account was removed.',
  'login.password_changed': 'A new password of the panel was set.',
  'login.recovery_codes_renewed': 'A login got new recovery codes.',
  'login.second_factor_added': 'A login got an app for codes, or a passkey.',
  'login.second_factor_removed': 'A login lost its app for codes, or a passkey.',
  'operator.created': 'An operator was added.',
  'operator.removed': 'An operator was removed, with all keys.',
  'operator.updated': 'The role or the password of an operator was changed.',
  'operator_key.created': 'An operator got a key.',
  'operator_key.revoked': 'A key of an operator was revoked.',
  'otp_application.created': 'An account got an OTP application.',
  'otp_application.deleted': 'An OTP application was deleted.',
  'otp_application.secret_renewed': 'An OTP application got a new secret.',
  'otp_application.updated': 'Settings of an OTP application were changed.',
  'price_adjustment.changed': 'What a customer pays more or less than the list price was changed.',
  'price_list.confirmed': 'A dry run of a price list was confirmed.',
  'price_list.imported': 'A price list was imported.',
  'price_list.withdrawn': 'A price list was withdrawn before it was valid.',
  'account_note.created': 'A note about an account was written.',
  'account_note.removed': 'A note about an account was removed.',
  'peer_test.requested': 'A provider or a carrier was tested.',
  'prefix_block.changed': 'A decision about a prefix was changed.',
  'prefix_block.created': 'A prefix was blocked, watched or called safe.',
  'prefix_block.lifted': 'A decision about a prefix was lifted.',
  'provider.receipts_renewed': 'A provider of codes got a new secret for receipts.',
  'provider.removed': 'A provider of codes was removed, with its routes.',
  'provider.saved': 'A provider of codes was added, or its settings were replaced.',
  'provider_route.removed': 'A route to a provider of codes was removed.',
  'provider_route.saved': 'A route to a provider of codes was added or changed.',
  'refund.created': 'Money of an order was given back.',
  'requirements.loaded': 'What countries ask for was loaded anew.',
  'review_settings.changed': 'How the submissions of an account are reviewed was changed.',
  'risk_limit.changed': 'What may be spent in a day on a class of destinations was changed.',
  'route.removed': 'A route to a carrier was removed.',
  'route.saved': 'A route to a carrier was added or changed.',
  'secret.revealed': 'Somebody looked at a password of a trunk in the panel.',
  'server_key.replaced': 'Everything that is encrypted was encrypted with the new server key.',
  'session.acting_began': 'An operator began to act as a customer.',
  'session.acting_ended': 'An operator stopped acting as a customer.',
  'session.ended': 'Somebody signed out, or ended a session.',
  'session.locked': 'There were too many failed attempts to sign in: further ones have to wait.',
  'session.opened': 'Somebody signed in to the panel.',
  'session.refused': 'An attempt to sign in failed.',
  'signing_certificate.created': 'A certificate that signs calls was added.',
  'signing_certificate.removed': 'A certificate that signs calls was removed.',
  'signing_certificate.updated': 'A certificate that signs calls was switched on or off, or got another address.',
  'snapshot.whole': 'The state of all accounts of the sandbox was saved as a snapshot of one of them.',
  'stock.moved': 'Numbers of the stock were moved to another group.',
  'stock.quarantined': 'Numbers were taken out of stock for a while, or for ever.',
  'stock.released': 'Numbers were put back into stock.',
  'stock.withdrawn': 'Numbers were taken out of stock for good.',
  'supplier.created': 'A supplier was added.',
  'supplier.preview_requested': 'What a supplier offers was read anew on demand.',
  'supplier.removed': 'A supplier was removed.',
  'supplier.updated': 'Settings of a supplier were changed.',
  'supplier_price_rule.created': 'A rule for the prices of a supplier was added.',
  'supplier_price_rule.removed': 'A rule for the prices of a supplier was removed.',
  'verification.approved': 'A submission was approved.',
  'verification.rejected': 'A submission was rejected.',
  'verification_rate.changed': 'What verifications cost was changed.',
  'verification_settings.changed': 'Settings of the verification service were changed.',
  'voice_in_trunk.updated': 'How SIP is spoken with an inbound trunk was changed.',
  'voice_out_trunk.updated': 'A setting of an outbound trunk that only operators change was changed.',
  'voice_rate.changed': 'What calls cost was changed.',
} as const;

export type AuditAction = keyof typeof auditActions;

interface AuditEntry {
  at: Date;
  by: Actor;
  /** The client's address, or the way that has none: `command line`, `bootstrap file`. */
  source?: string | null;
  action: AuditAction;
  accountId: string | null;
  subject: { type: string; id: string };
  /** The members that changed. No secrets and no personal data: entries stay when the person's data is erased. */
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
  reason?: string | null;
  details?: Record<string, unknown>;
}

export async function writeAudit(trx: Kysely<Schema>, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values({
      at: entry.at,
      actor: nameOf(entry.by),
      operator_id: entry.by.kind === 'operator' ? entry.by.id : null,
      source: entry.source ?? null,
      action: entry.action,
      account_id: entry.accountId,
      subject_type: entry.subject.type,
      subject_id: entry.subject.id,
      before: entry.before ? JSON.stringify(entry.before) : null,
      after: entry.after ? JSON.stringify(entry.after) : null,
      reason: entry.reason ?? null,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}
