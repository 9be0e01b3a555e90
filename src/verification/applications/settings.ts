/** What may be set on an OTP application, and the sentence for what may not. */
import { OperatorError } from '../../operator-error.ts';
import type { Mode } from '../authorization.ts';

export interface ApplicationSettings {
  name?: string;
  description?: string | null;
  minimumMode?: Mode;
  callbackUrl?: string | null;
  codeTimeout?: number;
  codeLength?: number;
  senders?: Readonly<Record<string, string>>;
  dailyLimit?: number | null;
}

/** The columns of what is given; throws on a value that is not allowed. */
export function applicationColumns(settings: ApplicationSettings) {
  return {
    ...(settings.name !== undefined && { name: checkName(settings.name) }),
    ...(settings.description !== undefined && { description: settings.description?.trim() || null }),
    ...(settings.minimumMode !== undefined && { minimum_mode: checkMode(settings.minimumMode) }),
    ...(settings.callbackUrl !== undefined && { callback_url: checkCallbackUrl(settings.callbackUrl) }),
    ...(settings.codeTimeout !== undefined && { code_timeout: between(settings.codeTimeout, 60, 600, 'code timeout') }),
    ...(settings.codeLength !== undefined && { code_length: between(settings.codeLength, 4, 8, 'code length') }),
    ...(settings.senders !== undefined && { senders: JSON.stringify(checkSenders(settings.senders)) }),
    ...(settings.dailyLimit !== undefined && { daily_limit: checkDailyLimit(settings.dailyLimit) }),
  };
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > 255)
    throw new OperatorError('An application needs a name of 1 to 255 characters.');
  return trimmed;
}

function checkMode(mode: string): Mode {
  if (mode === 'public' || mode === 'basic' || mode === 'application') return mode;
  throw new OperatorError(`The minimum mode is public, basic or application, not "${mode}".`);
}

/** Checked but never rewritten: clients verify the signature over the path as it was registered. */
function checkCallbackUrl(url: string | null): string | null {
  if (url === null || url === '') return null;
  const parsed = /\s/.test(url) ? null : URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\//i.test(url)) {
    throw new OperatorError('The callback URL must be an http or https address.');
  }
  return url;
}

function between(value: number, least: number, most: number, what: string): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new OperatorError(`The ${what} is an integer from ${least} to ${most}.`);
}

function checkSenders(senders: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [country, sender] of Object.entries(senders)) {
    if (country !== 'default' && !/^[A-Z]{2}$/.test(country)) {
      throw new OperatorError(`Senders are set per ISO country or as "default", not for "${country}".`);
    }
    if (!/^(\+?\d{3,15}|(?=.*[A-Za-z])[\w .&-]{1,11})$/.test(sender)) {
      throw new OperatorError(`"${sender}" is no sender id: 1 to 11 letters and digits, or a number.`);
    }
  }
  return senders;
}

function checkDailyLimit(limit: number | null): number | null {
  return limit === null ? null : between(limit, 1, 1_000_000_000, 'daily limit');
}
