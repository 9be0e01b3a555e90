/**
 * Holds every response against an OpenAPI document: status, media type, and a body without a member it does not name.
 */
import { hash } from 'node:crypto';
import type { SchemaValidateFunction } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Method, OpenApiDocument, Operation, Response, Schema } from '../../src/engines/openapi/types.ts';
import { knownVersions, newestVersion } from '../../src/interfaces/platform/versions/versions.ts';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';

interface SeenAnswer {
  method: string;
  /** With the query, without the host. */
  url: string;
  status: number;
  contentType: string | null;
  text: string;
}

export type CheckAnswer = (answer: SeenAnswer) => void;

/**
 * The check for one document; it throws an error that says what differs. An answer in an older version of `/v3` is held
 * against the document of that version.
 */
export function responseCheck(document: OpenApiDocument): CheckAnswer {
  const known = checks.get(document) ?? createCheck(document);
  checks.set(document, known);
  return known;
}

const checks = new WeakMap<OpenApiDocument, CheckAnswer>();

function createCheck(document: OpenApiDocument): CheckAnswer {
  const newest = documentCheck(document);
  return (answer) => {
    const version = versionOf(answer);
    if (document.info.version !== newestVersion || version === document.info.version) return newest(answer);
    if (version !== null) return olderCheck(version, document)(answer);
    // No body says which version it was.
    try {
      newest(answer);
    } catch (error) {
      if (!knownVersions.some((each) => isPassed(() => olderCheck(each, document)(answer)))) throw error;
    }
  };
}

function isPassed(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

const olderChecks = new Map<string, CheckAnswer>();

function olderCheck(version: string, { servers }: OpenApiDocument): CheckAnswer {
  const name = servers[0]?.description === 'production' ? 'production' : 'sandbox';
  const known = olderChecks.get(version) ?? documentCheck(openApiDocument({ name }, 'http://127.0.0.1', version));
  olderChecks.set(version, known);
  return known;
}

/** What `meta.api_version` says; null if the body is none, or has none. */
function versionOf({ contentType, text }: SeenAnswer): string | null {
  if (text === '' || !contentType?.includes('json')) return null;
  const version = /"api_version":"([^"]+)"/.exec(text)?.[1];
  return version !== undefined && knownVersions.includes(version) ? version : null;
}

function documentCheck(document: OpenApiDocument): CheckAnswer {
  const routes = Object.entries(document.paths)
    .map(([path, item]) => ({ path, item, pattern: patternOf(path) }))
    // `/{id}/relationships/country` before `/{id}/{anything}`: what is spelled out goes first.
    .sort((left, right) => variables(left.path) - variables(right.path) || right.path.length - left.path.length);
  const schemas = hash('sha256', JSON.stringify([document.info.version, document.components]));
  const validators = () => {
    const known = validatorsOf.get(schemas) ?? createValidators(document);
    validatorsOf.set(schemas, known);
    return known;
  };

  return (answer) => {
    const [path = ''] = answer.url.split('?');
    const route = routes.find(({ pattern }) => pattern.test(path));
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
    const operation = route?.item[method as Method];
    const fail = (problem: string): never => {
      throw new Error(
        `${answer.method} ${answer.url} answered ${answer.status}: ${problem}\n${answer.text.slice(0, 2000)}`,
      );
    };
    if (answer.status === 500) fail('the server failed');
    if (answer.method === 'OPTIONS') return answer.status === 204 ? undefined : fail('OPTIONS is answered with 204');
    if (!operation) {
      // Linkage that can only be read refuses every change.
      const others = path.includes('/relationships/') ? [403] : [];
      if (![401, 404, 405, ...others].includes(answer.status)) fail('the operation is not in the OpenAPI document');
      return checkBody(errorsAt(path), answer, validators(), fail);
    }
    const response =
      resolve(document, operation, answer.status) ?? fail('the status is not documented for this operation');
    checkBody(response, answer, validators(), fail);
  };
}

/** By what they check. Compiling them costs more than most tests, and every server of a run has the same schemas. */
const validatorsOf = new Map<string, ReturnType<typeof createValidators>>();

type Fail = (problem: string) => never;

const jsonApi = 'application/vnd.api+json';

/** How errors look where no operation says so. */
function errorsAt(path: string): Response {
  const [type, name] = path.startsWith('/api/v1')
    ? ['application/json', 'verification_errors']
    : path.startsWith('/sandbox/v1')
      ? ['application/json', 'control_error']
      : [jsonApi, 'errors_document'];
  return { description: '', content: { [type]: { schema: { $ref: `#/components/schemas/${name}` } } } };
}

function checkBody(
  response: Response,
  answer: SeenAnswer,
  validators: ReturnType<typeof createValidators>,
  fail: Fail,
): void {
  if (answer.method === 'HEAD') {
    if (answer.text !== '') fail('HEAD has a body');
  } else if (!response.content) {
    if (answer.text !== '') fail('a body, where the document has none');
    if (answer.contentType !== null) fail(`Content-Type ${answer.contentType} without a body`);
  } else validators.check(response, answer, fail);
}

function createValidators(document: OpenApiDocument) {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    discriminator: true,
    validateSchema: false,
    passContext: true,
    // Most validators check a handful of bodies: compiling costs more than checking.
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats.default(ajv, ['uuid', 'date-time', 'date', 'uri', 'uri-reference']);
  ajv.addFormat('email', true);
  ajv.addKeyword({ keyword: requiredUnlessNarrowed, type: 'object', schemaType: 'object', validate: hasMembers });
  ajv.addSchema(narrowable(document), 'document');
  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: Schema): ValidateFunction => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/', '"document#/')));
    compiled.set(key, validate);
    return validate;
  };
  return {
    check(response: Response, answer: SeenAnswer, fail: Fail): void {
      const type = answer.contentType?.split(';')[0] ?? '';
      const content = response.content?.[type];
      if (type === jsonApi && answer.contentType !== type) fail('this media type has no parameters');
      if (!content) throw fail(`Content-Type ${answer.contentType} is not documented`);
      if (!type.endsWith('json')) return;
      const body: unknown = JSON.parse(answer.text);
      const validate = compile(content.schema);
      const narrowed: Narrowed = { types: sparseTypes(answer.url.split('?')[1] ?? '') };
      if (validate.call(narrowed, body)) return;
      const problems = validate.errors?.map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
      fail(`the body does not match the OpenAPI document:\n  ${problems?.slice(0, 8).join('\n  ')}`);
    },
  };
}

/** The types that `fields[type]` narrows. */
const sparseTypes = (query: string): ReadonlySet<string> =>
  new Set([...new URLSearchParams(query).keys()].flatMap((key) => /^fields\[(\w+)\]$/.exec(key)?.[1] ?? []));

/** What a body is checked with: the types that its request has narrowed. */
interface Narrowed {
  types: ReadonlySet<string>;
}

/** A keyword of our own: the members that a type must have, unless the request has narrowed it. */
const requiredUnlessNarrowed = 'requiredUnlessNarrowed';

interface NarrowableMembers {
  type: string;
  members: readonly string[];
}

const hasMembers: SchemaValidateFunction = function (
  this: Narrowed,
  { type, members }: NarrowableMembers,
  data: object,
): boolean {
  if (this.types.has(type)) return true;
  const missing = members.filter((member) => !Object.hasOwn(data, member));
  hasMembers.errors = missing.map((missingProperty) => ({
    keyword: 'required',
    message: `must have required property '${missingProperty}'`,
    params: { missingProperty },
  }));
  return missing.length === 0;
};

/**
 * Members listed as required may be absent from a type that was narrowed (specification, relationship shapes, rule 4).
 */
function narrowable(document: OpenApiDocument): object {
  const named = Object.entries(document.components.schemas ?? {}).map(([name, { required = [], ...schema }]) => {
    const type = name.replace(/_(attributes|relationships)$/, '');
    const members = type === name ? required.filter((member) => narrowed.includes(member)) : required;
    const always = required.filter((member) => !members.includes(member));
    const unlessNarrowed = members.length === 0 ? {} : { [requiredUnlessNarrowed]: { type, members } };
    return [name, { ...schema, ...(always.length === 0 ? {} : { required: always }), ...unlessNarrowed }];
  });
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(named) } };
}

/** Members of a resource that are left out when nothing is left in them. */
const narrowed = ['attributes', 'relationships'];

function resolve(document: OpenApiDocument, operation: Operation, status: number): Response | undefined {
  const response = operation.responses[String(status)];
  if (!response || !('$ref' in response)) return response;
  return document.components.responses?.[response.$ref.replace(/^.*\//, '')];
}

const variables = (path: string): number => path.split('{').length - 1;
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`);
