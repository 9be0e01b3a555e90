/** The table of errors, and the messages of validation errors. */

export interface ErrorObject {
  title: string;
  detail: string;
  code: string;
  source?: { pointer: string };
  status: string;
  meta?: Record<string, string>;
}

/** Can be thrown anywhere while a request is handled; the response contains all its errors. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly ErrorObject[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(errors: readonly ErrorObject[], headers: Readonly<Record<string, string>> = {}) {
    super(errors.map((error) => error.detail).join('; '));
    this.errors = errors;
    this.status = Number(errors[0]?.status ?? 500);
    this.headers = headers;
  }
}

/** Throws if there is any error. */
export function throwAny(errors: readonly ErrorObject[]): void {
  if (errors.length > 0) throw new ApiError(errors);
}

const row = (status: number, code: number, title: string, detail: string): ErrorObject => ({
  title,
  detail,
  code: String(code),
  status: String(status),
});

/** What is known of the changes of a request that could not be served now. */
export type Outcome = 'nothing_changed' | 'unknown' | 'done';

const unavailableTexts: Readonly<Record<Outcome, string>> = {
  nothing_changed: 'The server is busy. Nothing was changed. Try again in a moment.',
  unknown:
    'The server is busy, and it is not known whether the request was carried out. Repeat a create with the same Idempotency-Key; otherwise look before you repeat it.',
  done: 'The request was carried out, but the server is too busy to show the result. Read it in a moment, or repeat a create with the same Idempotency-Key.',
};

const jsonApi = "'application/vnd.api+json'";
const mebibyte = 1024 ** 2;
const sizeText = (bytes: number) => (bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`);

export const errors = {
  unauthorized: () => row(401, 401, 'Unauthorized', 'Authorization failed'),
  forbidden: (detail: string) => row(403, 403, 'Forbidden', detail),
  replacementForbidden: () =>
    row(403, 403, 'Complete replacement forbidden', 'Complete replacement forbidden for this relationship'),
  recordNotFound: (id: string) =>
    row(404, 404, 'Record not found', `The record identified by ${id} could not be found.`),
  routeNotFound: (path: string) => row(404, 404, 'Not Found', `The path ${path} could not be found.`),
  methodNotAllowed: (method: string, path: string) =>
    row(405, 405, 'Method Not Allowed', `${method} is not allowed for ${path}.`),
  notAcceptable: (accept: string) =>
    row(
      406,
      406,
      'Not acceptable',
      `All requests must use the ${jsonApi} Accept without media type parameters. This request specified '${accept}'.`,
    ),
  conflict: (detail: string) => row(409, 409, 'Conflict', detail),
  tooLarge: (bytes: number) =>
    row(413, 413, 'Payload Too Large', `The request body may hold at most ${sizeText(bytes)}.`),
  unsupportedMediaType: (type: string) =>
    row(
      415,
      415,
      'Unsupported media type',
      `All requests that create or update must use the ${jsonApi} Content-Type. This request specified '${type}'.`,
    ),
  unsupportedEncoding: (encoding: string) =>
    row(
      415,
      415,
      'Unsupported media type',
      `A request body may be sent as it is or with the Content-Encoding 'gzip'. This request specified '${encoding}'.`,
    ),
  locked: (detail: string) => row(423, 423, 'Locked resource', detail),
  tooManyRequests: () => row(429, 429, 'Too Many Requests', 'Too Many Requests'),
  /** An error of the server itself, before a request reaches the engine. */
  refused: (status: number, title: string, detail: string) => row(status, status, title, detail),
  unavailable: (outcome: Outcome = 'nothing_changed'): ErrorObject => ({
    ...row(503, 503, 'Service Unavailable', unavailableTexts[outcome]),
    meta: { outcome },
  }),
  internal: () => row(500, 500, 'Internal Server Error', 'Internal Server Error'),
  badRequest: (detail: string) => row(400, 400, 'Bad Request', detail),
  invalidResource: (type: string) => row(400, 101, 'Invalid resource', `${type} is not a valid resource.`),
  filterNotAllowed: (key: string) => row(400, 102, 'Filter not allowed', `${key} is not allowed.`),
  invalidFieldValue: (value: string, field: string) =>
    row(400, 103, 'Invalid field value', `${value} is not a valid value for ${field}.`),
  invalidField: (field: string, type: string) =>
    row(400, 104, 'Invalid field', `${field} is not a valid field for ${type}.`),
  paramNotAllowed: (member: string) => row(400, 105, 'Param not allowed', `${member} is not allowed.`),
  pageParamNotAllowed: (param: string) =>
    row(400, 105, 'Page parameter not allowed', `${param} is not an allowed page parameter.`),
  missingParameter: (param: string) =>
    row(400, 106, 'Missing Parameter', `The required parameter, ${param}, is missing.`),
  invalidFilterValue: (value: string, filter: string) =>
    row(400, 107, 'Invalid filter value', `${value} is not a valid value for ${filter}.`),
  refusedFilterValue: (detail: string) => row(400, 107, 'Invalid filter value', detail),
  keyRequired: () => row(400, 109, 'A key is required', 'The resource object does not contain a key.'),
  keyNotInUrl: (id: string) => row(400, 110, 'Key is not included in URL', `The URL does not support the key ${id}`),
  invalidInclude: (relationship: string, type: string) =>
    row(400, 112, 'Invalid field', `${relationship} is not a valid relationship of ${type}`),
  tooManyIncluded: (relationship: string, type: string, max: number) =>
    row(400, 112, 'Invalid field', `${relationship} of ${type} brings more than ${max} related records.`),
  relationExists: (id: string) => row(400, 113, 'Relation exists', `The relation to ${id} already exists.`),
  invalidSort: (key: string, type: string) =>
    row(400, 114, 'Invalid sort criteria', `${key} is not a valid sort criteria for ${type}`),
  invalidLinkage: () => row(400, 115, 'Invalid Links Object', 'Data is not a valid Links Object.'),
  typeMismatch: (type: string) => row(400, 116, 'Type Mismatch', `${type} is not a valid type for this operation.`),
  invalidPageObject: () => row(400, 117, 'Invalid Page Object', 'Invalid Page Object.'),
  invalidPageValue: (value: string, param: 'number' | 'size') =>
    row(400, 118, 'Invalid page value', `${value} is not a valid value for ${param} page parameter.`),
  pageTooLarge: (max: number) => row(400, 118, 'Invalid page value', `size exceeds maximum page size of ${max}.`),
  responseTooLarge: (bytes: number) =>
    row(
      400,
      118,
      'Invalid page value',
      `The response would be larger than ${sizeText(bytes)}. Use a smaller page size, or fewer included records or fields.`,
    ),
  invalidFieldFormat: () => row(400, 119, 'Invalid field format', 'Fields must specify a type.'),
  invalidFilterSyntax: (filter: string) =>
    row(400, 120, 'Invalid filters syntax', `${filter} is not a valid syntax for filtering.`),
  saveFailed: () => row(422, 121, 'Save failed or was cancelled', 'Save failed or was cancelled'),
  invalidDataFormat: () => row(400, 122, 'Invalid data format', 'Data must be a hash.'),
};

/** Code 100: something in the request document is not valid; each function knows where its error points. */
export const invalid = {
  attribute: (name: string, message: string) => at(`/data/attributes/${name}`, message, name),
  relationship: (name: string, message: string) => at(`/data/relationships/${name}`, message, name),
  /** A member of a to-many, by index or id. */
  member: (name: string, key: string | number, message: string) =>
    at(`/data/relationships/${name}/${key}`, message, `${name}/${key}`),
  /** A member of a nested typed object. */
  nested: (object: string, name: string, message: string) =>
    at(`/data/attributes/${object}/attributes/${name}`, message, name),
  nestedType: (object: string, message: string) => at(`/data/attributes/${object}/type`, message, 'type'),
  /** A field of one of several nested objects. */
  item: (list: string, index: number, name: string, message: string) =>
    at(`/data/attributes/${list}/${index}/${name}`, message, `${list}/${index}/${name}`),
  /** An error that points at a member which the declaration does not have. */
  pointed: (pointer: string, message: string, name: string) => at(pointer, message, name),
  base: (message: string): ErrorObject => ({
    title: message,
    detail: message,
    code: '100',
    source: { pointer: '/data' },
    status: '422',
  }),
};

/** Throws one or several validation errors. */
export function refuse(...problems: ErrorObject[]): never {
  throw new ApiError(problems);
}

function at(pointer: string, message: string, name: string): ErrorObject {
  return { title: message, detail: `${name} - ${message}`, code: '100', source: { pointer }, status: '422' };
}

export const messages = {
  blank: "can't be blank",
  invalid: 'is invalid',
  notOnCreation: 'is not allowed for creation',
  notOnUpdate: 'is not allowed for update',
  mustBeBlank: 'must be blank',
  taken: 'has already been taken',
  notANumber: 'is not a number',
  /** For a minimum that depends on other members. */
  shouldBeAtLeast: (min: number) => `should be at least ${min}`,
  differentTypes: 'must be the same for all items',
  tooMany: (max: number) => `is too long (maximum is ${max} items)`,
  tooPrecise: (decimals: number) => `must have at most ${decimals} decimals`,
  tooLong: (max: number) => `is too long (maximum is ${max} characters)`,
  atMost: (max: number) => `must be less than or equal to ${max}`,
  atLeast: (min: number) => `must be greater than or equal to ${min}`,
} as const;
