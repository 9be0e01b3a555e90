/** Every error of the interfaces by a name, so that a test can have each of them in its exact form. */
import { STATUS_CODES } from 'node:http';
import { featureTexts } from '../../../business/accounts/features-and-limits.ts';
import { type ErrorObject, errors, invalid, messages } from '../../../engines/jsonapi/errors.ts';
import { featureMissing, insufficientBalance } from '../../platform/refusals.ts';
import { type ErrorCode, errorTexts } from '../../verification/errors.ts';

/** What an error says about the request that gets it. */
interface FaultyRequest {
  readonly method: string;
  readonly path: string;
}

const lastOf = ({ path }: FaultyRequest): string => path.split('/').at(-1) ?? '';
const typeOf = ({ path }: FaultyRequest): string => path.split('/')[2] ?? '';

/** Errors of `/v3`. Members and values that a request would have to name are made up. */
export const platformErrors = {
  unauthorized: () => errors.unauthorized(),
  forbidden: () => errors.forbidden('The account may not do this.'),
  feature_missing: () => featureMissing(Object.keys(featureTexts)[0] as keyof typeof featureTexts),
  replacement_forbidden: () => errors.replacementForbidden(),
  record_not_found: (request) => errors.recordNotFound(lastOf(request)),
  route_not_found: ({ path }) => errors.routeNotFound(path),
  method_not_allowed: ({ method, path }) => errors.methodNotAllowed(method, path),
  not_acceptable: () => errors.notAcceptable('text/html'),
  conflict: () => errors.conflict('The record was changed meanwhile.'),
  too_large: () => errors.tooLarge(1024 * 1024),
  unsupported_media_type: () => errors.unsupportedMediaType('text/plain'),
  unsupported_encoding: () => errors.unsupportedEncoding('br'),
  locked: () => errors.locked('The record is locked.'),
  too_many_requests: () => errors.tooManyRequests(),
  unavailable: () => errors.unavailable(),
  internal: () => errors.internal(),
  bad_request: () => errors.badRequest('The request is not valid.'),
  insufficient_balance: () => insufficientBalance('0.0', '1.0'),
  validation_error: () => invalid.base(messages.invalid),
  invalid_resource: (request) => errors.invalidResource(typeOf(request)),
  filter_not_allowed: () => errors.filterNotAllowed('name'),
  invalid_field_value: () => errors.invalidFieldValue('x', 'name'),
  invalid_field: (request) => errors.invalidField('name', typeOf(request)),
  param_not_allowed: () => errors.paramNotAllowed('name'),
  page_param_not_allowed: () => errors.pageParamNotAllowed('offset'),
  missing_parameter: () => errors.missingParameter('data'),
  invalid_filter_value: () => errors.invalidFilterValue('x', 'name'),
  refused_filter_value: () => errors.refusedFilterValue('x is not a valid value.'),
  key_required: () => errors.keyRequired(),
  key_not_in_url: (request) => errors.keyNotInUrl(lastOf(request)),
  invalid_include: (request) => errors.invalidInclude('name', typeOf(request)),
  too_many_included: (request) => errors.tooManyIncluded('name', typeOf(request), 1000),
  relation_exists: (request) => errors.relationExists(lastOf(request)),
  invalid_sort: (request) => errors.invalidSort('name', typeOf(request)),
  invalid_linkage: () => errors.invalidLinkage(),
  type_mismatch: (request) => errors.typeMismatch(typeOf(request)),
  invalid_page_object: () => errors.invalidPageObject(),
  invalid_page_value: () => errors.invalidPageValue('x', 'size'),
  page_too_large: () => errors.pageTooLarge(100),
  response_too_large: () => errors.responseTooLarge(8 * 1024 * 1024),
  invalid_field_format: () => errors.invalidFieldFormat(),
  invalid_filter_syntax: () => errors.invalidFilterSyntax('name'),
  save_failed: () => errors.saveFailed(),
  invalid_data_format: () => errors.invalidDataFormat(),
} as const satisfies Record<string, (request: FaultyRequest) => ErrorObject>;

type PlatformErrorName = keyof typeof platformErrors;

export const isPlatformError = (name: string): name is PlatformErrorName => Object.hasOwn(platformErrors, name);
export const isVerificationError = (name: string): name is ErrorCode => Object.hasOwn(errorTexts, name);
export const isNamedError = (name: string): boolean => isPlatformError(name) || isVerificationError(name);

/** The error that `/v3` itself would give with a status, where it has one. */
const usualErrors: Readonly<Record<number, PlatformErrorName>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'record_not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_media_type',
  422: 'validation_error',
  423: 'locked',
  429: 'too_many_requests',
  500: 'internal',
  503: 'unavailable',
};

export function platformErrorOf(status: number, request: FaultyRequest): ErrorObject {
  const name = usualErrors[status];
  const phrase = STATUS_CODES[status] ?? 'Unknown';
  return name === undefined ? errors.refused(status, phrase, phrase) : platformErrors[name](request);
}

/** The code that `/api/v1` itself would give with a status; where it has none, that of an error of the server. */
export function verificationCodeOf(status: number): ErrorCode {
  const codes = Object.keys(errorTexts).filter(isVerificationError);
  return codes.find((code) => errorTexts[code][0] === status) ?? 'internal_error';
}
