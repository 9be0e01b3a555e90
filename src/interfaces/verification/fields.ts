/** Reads the bodies of start and report: checks each field by its schema, errors in order (contract 1.3, 1.4). */
import { isStorable, readJson } from '../../base/incoming-json.ts';
import * as bodies from './bodies.ts';
import { parseDestination } from './destination.ts';
import { type ErrorCode, VerificationError } from './errors.ts';
import { canonicalTag } from './languages.ts';

export type DeliveryMethod = 'sms' | 'callout';

export interface StartFields {
  /** Normalised (destination.ts). */
  destination: string;
  deliveryMethod: DeliveryMethod;
  /** Canonical tags in the client's order; empty when none was given. */
  languages: string[];
  appHash: string | null;
  /** For the approval callback only. */
  custom: string | null;
}

interface ReportFields {
  deliveryMethod: DeliveryMethod;
  code: string;
}

type Data = Record<string, unknown>;

const is = {
  destination: bodies.checkOf(bodies.destination),
  deliveryMethod: bodies.checkOf(bodies.deliveryMethod),
  languages: bodies.checkOf(bodies.languages),
  appHash: bodies.checkOf(bodies.appHash),
  autofill: bodies.checkOf(bodies.autofill),
  custom: bodies.checkOf(bodies.custom),
  code: bodies.checkOf(bodies.code),
};

/** The `data` object of a body; 400 for no body, broken JSON, and a root or `data` that is not an object. */
export function parseData(body: Buffer, contentType: string): Data {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim()))
    throw new VerificationError('parameter_missing');
  const root = parseJson(body);
  const data = isObject(root) ? root.data : undefined;
  if (!isObject(data)) throw new VerificationError('parameter_missing');
  return data;
}

/** `newer` also reads `custom` and `sms.autofill`, which the specification does not have (contract section 9). */
export function parseStart(data: Data, newer = false): StartFields {
  const errors: ErrorCode[] = [];
  const destination = readDestination(data.destination, errors);
  const deliveryMethod = readDeliveryMethod(data.delivery_method, errors);
  // Only the block named after the method counts; a block that is not an object counts as absent.
  const block = deliveryMethod === null ? null : data[deliveryMethod];
  const options = isObject(block) ? block : {};
  const languages = readLanguages(options.languages, errors);
  const appHash = deliveryMethod === 'sms' ? readAppHash(options, newer, errors) : null;
  const custom = newer ? readCustom(data.custom, errors) : null;
  throwIfAny(errors);
  if (destination === null || deliveryMethod === null) throw new VerificationError('validation_failed');
  return { destination, deliveryMethod, languages, appHash, custom };
}

/** `startedWith` is the method of the verification that is reported; undefined accepts either. */
export function parseReport(data: Data, startedWith?: DeliveryMethod): ReportFields {
  const errors: ErrorCode[] = [];
  const deliveryMethod = readDeliveryMethod(data.delivery_method, errors);
  if (deliveryMethod !== null && deliveryMethod !== (startedWith ?? deliveryMethod)) {
    errors.push('delivery_method_invalid');
  }
  const code = scalarText(data.code);
  if (!is.code(code)) errors.push('code_blank');
  throwIfAny(errors);
  if (deliveryMethod === null) throw new VerificationError('validation_failed');
  return { deliveryMethod, code: code.trim() };
}

function readDestination(value: unknown, errors: ErrorCode[]): string | null {
  const text = scalarText(value);
  if (isBlank(text)) {
    errors.push('destination_blank');
    return null;
  }
  // The minus of a JSON number is a sign, not a separator.
  const isNumber = is.destination(text) && !(typeof value === 'number' && value < 0);
  const normalised = isNumber ? parseDestination(text) : null;
  if (normalised === null) errors.push('destination_invalid');
  return normalised;
}

function readDeliveryMethod(value: unknown, errors: ErrorCode[]): DeliveryMethod | null {
  const text = scalarText(value);
  if (isDeliveryMethod(text)) return text;
  errors.push(isBlank(text) ? 'delivery_method_blank' : 'delivery_method_inclusion');
  return null;
}

function isDeliveryMethod(value: unknown): value is DeliveryMethod {
  return is.deliveryMethod(value);
}

function readLanguages(value: unknown, errors: ErrorCode[]): string[] {
  if (value !== undefined && !is.languages(value)) errors.push('languages_invalid');
  else if (Array.isArray(value)) return value.map(canonicalTag);
  return [];
}

/** From `app_hash`, or from `autofill` where that is read; both together are an error. */
function readAppHash({ app_hash: appHash, autofill }: Data, newer: boolean, errors: ErrorCode[]): string | null {
  if (newer && autofill !== undefined && autofill !== null) {
    if (is.autofill(autofill) && isObject(autofill) && (appHash ?? null) === null) {
      return autofill.type === 'app_hash' ? String(autofill.value) : null;
    }
    errors.push('autofill_invalid');
  } else if (appHash !== undefined && !is.appHash(appHash)) errors.push('app_hash_invalid');
  else if (typeof appHash === 'string') return appHash;
  return null;
}

/** An empty text counts as absent. */
function readCustom(value: unknown, errors: ErrorCode[]): string | null {
  const text = scalarText(value);
  if (!is.custom(text)) errors.push('custom_too_long');
  // NUL is refused in every text, because the database cannot store it.
  else if (!isStorable(text)) errors.push('validation_failed');
  return text === '' ? null : text;
}

/** Numbers and booleans become text; arrays, objects and null count as absent. */
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
    return readJson(body);
  } catch {
    return undefined;
  }
}

function throwIfAny(errors: ErrorCode[]): void {
  const [first, ...rest] = errors;
  if (first !== undefined) throw new VerificationError([first, ...rest]);
}
