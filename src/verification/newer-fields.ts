/**
 * Fields of a start that are newer than the specification (contract section 9): `custom`, which the approval callback is
 * handed, and `sms.autofill`, which says `app_hash` in another form. Read only where the operator has switched them on;
 * otherwise they are unknown keys like any other.
 */
import type { ErrorCode } from './errors.ts';

const LONGEST_CUSTOM = 4096;

/** Free text for the customer's own server; an empty one is none. */
export function parseCustom(text: string, errors: ErrorCode[]): string | null {
  if ([...text].length > LONGEST_CUSTOM) errors.push('custom_too_long');
  return text === '' ? null : text;
}

/** Null when the block has no `autofill`; else the hash it stands for, which may be none. */
export function parseAutofill(
  options: Readonly<Record<string, unknown>>,
  errors: ErrorCode[],
): { appHash: string | null } | null {
  const { autofill, app_hash: appHash } = options;
  if (autofill === undefined || autofill === null) return null;
  const isAlone = appHash === undefined || appHash === null;
  if (isAlone && typeof autofill === 'object' && 'type' in autofill) {
    if (autofill.type === 'none') return { appHash: null };
    const value = 'value' in autofill ? autofill.value : undefined;
    if (autofill.type === 'app_hash' && isAppHash(value)) return { appHash: value };
  }
  errors.push('autofill_invalid');
  return { appHash: null };
}

export function isAppHash(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9+/]{11}$/.test(value);
}
