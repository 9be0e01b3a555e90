/** An account as columns of its table, and as the object that the program uses. */

import type { Selectable } from 'kysely';
import { isEmailAddress, trimmedAddress } from '../../base/email-address.ts';
import { isDecimal } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { ServerKey } from '../../base/server-key.ts';
import type { AccountsTable } from '../../engines/db/tables/accounts.ts';
import {
  checkFeatures,
  checkLimits,
  type Features,
  type Limits,
  readFeatures,
  readLimits,
} from './features-and-limits.ts';
import { hashPassword } from './passwords.ts';
import { seal, unseal } from './secret.ts';

interface CallEvents {
  url: string;
  gzip: boolean;
}

export interface Account {
  id: string;
  name: string;
  email: string | null;
  balance: string;
  credit: string;
  vatRate: string;
  /** Null until its first request fixes it. */
  apiVersion: string | null;
  readOnly: boolean;
  features: Features;
  limits: Limits;
  hasCallbackSecret: boolean;
  callEvents: CallEvents | null;
  createdAt: Date;
  suspendedAt: Date | null;
  /** Shown to the customer in every refused request. */
  suspensionReason: string | null;
  renewalsHeld: boolean;
  closedAt: Date | null;
}

/** Settings of an account, at creation and later. */
export interface AccountSettings {
  /** Unique. */
  name?: string;
  /** The login of the panel; unique. Null for none. */
  email?: string | null;
  /** Password of the panel; at least 12 characters. */
  password?: string | null;
  /** How far below zero the balance may go, as a decimal string. */
  credit?: string;
  /** In percent. */
  vatRate?: string;
  /** The API version of `/v3`; default: the newest one at the account's first request. */
  apiVersion?: string;
  /** A read-only account may not order. */
  readOnly?: boolean;
  /** Differences from the defaults. */
  features?: Readonly<Record<string, boolean>>;
  limits?: Readonly<Record<string, number | null>>;
  /** Signs callbacks. If null, the API key that created the resource signs them. */
  callbackSecret?: string | null;
  callEvents?: CallEvents | null;
}

/** Returns only the given columns, so that the others keep their value or the table's default. */
export async function columnsOf(serverKey: ServerKey, given: AccountSettings) {
  if (given.apiVersion !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(given.apiVersion)) {
    throw new OperatorError(`"${given.apiVersion}" is not an API version such as 2026-04-16.`);
  }
  const { callEvents, callbackSecret: secret } = given;
  const name = given.name?.trim();
  if (name === '') throw new OperatorError('An account needs a name.');
  if (callEvents && !/^https?:\/\/\S+$/i.test(callEvents.url)) {
    throw new OperatorError(`"${callEvents.url}" is not a URL that call events could be sent to.`);
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(given.email === undefined ? {} : { email: given.email?.trim() ? checkEmail(given.email) : null }),
    ...(given.password ? { password_hash: await hashPassword(given.password) } : {}),
    ...(given.credit === undefined ? {} : { credit: checkAmount('credit', given.credit) }),
    ...(given.vatRate === undefined ? {} : { vat_rate: checkAmount('VAT rate', given.vatRate) }),
    ...(given.apiVersion === undefined ? {} : { api_version: given.apiVersion }),
    ...(given.readOnly === undefined ? {} : { read_only: given.readOnly }),
    ...(given.features === undefined ? {} : { features: JSON.stringify(checkFeatures(given.features)) }),
    ...(given.limits === undefined ? {} : { limits: JSON.stringify(checkLimits(given.limits)) }),
    ...(secret === undefined
      ? {}
      : { sealed_callback_secret: secret && seal(serverKey, callbackSecretPurpose, secret) }),
    ...(callEvents === undefined ? {} : { call_events: callEvents && JSON.stringify(callEvents) }),
  };
}

export function asAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    balance: row.balance,
    credit: row.credit,
    vatRate: row.vat_rate,
    apiVersion: row.api_version,
    readOnly: row.read_only,
    features: readFeatures(row.features),
    limits: readLimits(row.limits),
    hasCallbackSecret: row.sealed_callback_secret !== null,
    callEvents: row.call_events,
    createdAt: row.created_at,
    suspendedAt: row.suspended_at,
    suspensionReason: row.suspension_reason,
    renewalsHeld: row.renewals_held,
    closedAt: row.closed_at,
  };
}

export const callbackSecretPurpose = 'callback_secret';

export function unsealCallbackSecret(serverKey: ServerKey, sealed: string): string {
  return unseal(serverKey, callbackSecretPurpose, sealed);
}

/** Rejects negative amounts and amounts that do not fit into the column. */
export function checkAmount(what: string, text: string): string {
  if (isDecimal(text)) return text;
  throw new OperatorError(`The ${what} "${text}" is not an amount such as 1000.00.`);
}

/** What the constraints of the table say about names and addresses that somebody else has. */
export const takenBy = ({ name, email }: Pick<AccountSettings, 'name' | 'email'>) => ({
  accounts_name: () => new OperatorError(`There is already an account named "${name?.trim()}".`),
  accounts_email_key: () => new OperatorError(`There is already an account with the e-mail address ${email?.trim()}.`),
});

/** Without spaces around it. */
export function checkEmail(text: string): string {
  const email = trimmedAddress(text);
  if (isEmailAddress(email)) return email;
  throw new OperatorError(`${JSON.stringify(email.slice(0, 100))} is not an e-mail address.`);
}
