/** What the bodies of start and report may hold: every field rule and the order of its errors (contract 1.3, 1.4). */
import { type ErrorCode, VerificationError } from './errors.ts';
import { canonicalTag } from './languages/tags.ts';
import { isAppHash, parseAutofill, parseCustom } from './newer-fields.ts';

export type DeliveryMethod = 'sms' | 'callout';

export interface StartFields {
  destination: string;
  deliveryMethod: DeliveryMethod;
  /** Canonical tags in the client's order; empty when it had no wish. */
  languages: string[];
  appHash: string | null;
  /** For the approval callback alone. */
  custom: string | null;
}

export interface ReportFields {
  deliveryMethod: DeliveryMethod;
  code: string;
}

type Data = Record<string, unknown>;

/** The `data` object of a body, or 400: the same answer for no body, broken JSON, and a root or `data` that is no object. */
export function parseData(body: Buffer, contentType: string): Data {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim()))
    throw new VerificationError('parameter_missing');
  const root = parseJson(body);
  const data = isObject(root) ? root.data : undefined;
  if (!isObject(data)) throw new VerificationError('parameter_missing');
  return data;
}

/** `newer` switches on what the specification does not have yet (newer-fields.ts). */
export function parseStart(data: Data, newer = false): StartFields {
  const errors: ErrorCode[] = [];
  const destination = parseDestination(data.destination, errors);
  const deliveryMethod = parseDeliveryMethod(data.delivery_method, errors);
  // Only the block named after the method counts; a block of any other type than object is as good as absent.
  const block = deliveryMethod === null ? null : data[deliveryMethod];
  const options = isObject(block) ? block : {};
  const languages = parseLanguages(options.languages, errors);
  const autofill = newer && deliveryMethod === 'sms' ? parseAutofill(options, errors) : null;
  const appHash = deliveryMethod === 'sms' && autofill === null ? parseAppHash(options.app_hash, errors) : null;
  const custom = newer ? parseCustom(scalarText(data.custom), errors) : null;
  throwIfAny(errors);
  if (destination === null || deliveryMethod === null) throw new VerificationError('validation_failed');
  return { destination, deliveryMethod, languages, appHash: autofill?.appHash ?? appHash, custom };
}

/** `startedWith` is the method of the verification that is reported. */
export function parseReport(data: Data, startedWith: DeliveryMethod): ReportFields {
  const errors: ErrorCode[] = [];
  const deliveryMethod = parseDeliveryMethod(data.delivery_method, errors);
  if (deliveryMethod !== null && deliveryMethod !== startedWith) errors.push('delivery_method_invalid');
  const code = scalarText(data.code);
  if (isBlank(code)) errors.push('code_blank');
  throwIfAny(errors);
  return { deliveryMethod: startedWith, code };
}

/** The digits of a number in a path, percent-encoded or not; empty when there is nothing to look for. */
export function numberInPath(segment: string): string {
  try {
    return decodeURIComponent(segment).replace(/\D/g, '');
  } catch {
    return '';
  }
}

function parseDestination(value: unknown, errors: ErrorCode[]): string | null {
  const text = scalarText(value);
  if (isBlank(text)) {
    errors.push('destination_blank');
    return null;
  }
  if (!/^\+?[0-9]{8,15}$/.test(text.replace(/[ \t\n\v\f\r\-()]/g, ''))) {
    errors.push('destination_invalid');
    return null;
  }
  return text.replace(/\D/g, '');
}

function parseDeliveryMethod(value: unknown, errors: ErrorCode[]): DeliveryMethod | null {
  const text = scalarText(value);
  if (text === 'sms' || text === 'callout') return text;
  errors.push(isBlank(text) ? 'delivery_method_blank' : 'delivery_method_inclusion');
  return null;
}

function parseLanguages(value: unknown, errors: ErrorCode[]): string[] {
  if (value === undefined || value === null) return [];
  const tags = Array.isArray(value) ? value.map(canonicalTag) : [null];
  const known = tags.filter((tag) => tag !== null);
  if (known.length < tags.length) errors.push('languages_invalid');
  return known;
}

function parseAppHash(value: unknown, errors: ErrorCode[]): string | null {
  if (value === undefined || value === null) return null;
  if (isAppHash(value)) return value;
  errors.push('app_hash_invalid');
  return null;
}

/** Numbers and booleans become text; arrays, objects and null count as nothing. */
function scalarText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function throwIfAny(errors: ErrorCode[]): void {
  const [first, ...rest] = errors;
  if (first !== undefined) throw new VerificationError([first, ...rest]);
}
