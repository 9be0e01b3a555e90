/** Puts recorded exchanges into a document as examples: request bodies, responses by status, ids in paths. */
import type {
  Content,
  Example,
  Method,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  Response,
} from './types.ts';

/** One request that was really sent, and its response. */
export interface Exchange {
  /** What this way of calling the operation is called: "By SKU". */
  name: string;
  /** The path parameters. */
  path: Readonly<Record<string, string>>;
  /** As it was sent, without the question mark; null when there was none. */
  query: string | null;
  request?: unknown;
  status: number;
  response?: unknown;
}

/** Exchanges by the id of their operation. */
export type Exchanges = Readonly<Record<string, readonly Exchange[]>>;

export function withExamples(document: OpenApiDocument, exchanges: Exchanges): OpenApiDocument {
  const errors = errorExamples(document, exchanges);
  const paths = mapValues(document.paths, (item) =>
    mapMethods(item, (operation) => exemplify(operation, exchangesOf(operation, exchanges), errors)),
  );
  const statusOf = statusesOfSharedResponses(document);
  const responses = mapValues(document.components.responses ?? {}, (response, name) =>
    addExamples(response, (content) => errors[errorKey(content, statusOf.get(name) ?? '')]),
  );
  return { ...document, paths, components: { ...document.components, responses } };
}

/** PUT is PATCH, and a former path has the responses of the one it became. */
function exchangesOf({ operationId }: Operation, exchanges: Exchanges): readonly Exchange[] {
  const current = operationId.replace(/_at_.*$/, '');
  const patch = current.replace(/^replace_/, 'update_').replace(/^put_/, '');
  return exchanges[operationId] ?? exchanges[current] ?? exchanges[patch] ?? [];
}

function exemplify(operation: Operation, all: readonly Exchange[], errors: Record<string, Examples>): Operation {
  const succeeded = all.filter(({ status }) => status < 400);
  const bodies = byName(succeeded, ({ request }) => request);
  const { requestBody, parameters = [] } = operation;
  return {
    ...operation,
    ...(parameters.length > 0 ? { parameters: parameters.map((each) => withPathExample(each, succeeded[0])) } : {}),
    ...(requestBody ? { requestBody: addExamples(requestBody, () => bodies) } : {}),
    responses: mapValues(operation.responses, (response, status) => {
      if ('$ref' in response) return response;
      const own = byName(
        succeeded.filter((exchange) => String(exchange.status) === status),
        (exchange) => exchange.response,
      );
      return addExamples(response, (content) => (isFilled(own) ? own : errors[errorKey(content, status)]));
    }),
  };
}

function withPathExample(parameter: Parameter | Reference, exchange: Exchange | undefined): Parameter | Reference {
  if ('$ref' in parameter || parameter.in !== 'path') return parameter;
  const example = exchange?.path[parameter.name];
  return example === undefined ? parameter : { ...parameter, example };
}

/** The example of a form names its parts, and the file that is sent in a part with a file. */
const formMedia = 'multipart/form-data';

type Examples = Record<string, Example>;

function byName(exchanges: readonly Exchange[], pick: (exchange: Exchange) => unknown): Examples {
  const named = exchanges.flatMap((exchange): [string, Example][] => {
    const value = pick(exchange);
    return value === undefined ? [] : [[slug(exchange.name), { summary: exchange.name, value }]];
  });
  return Object.fromEntries(named);
}

function addExamples<T extends { content?: Readonly<Record<string, Content>> }>(
  target: T,
  examplesOf: (content: Content) => Examples | undefined,
): T {
  if (!target.content) return target;
  const content = mapValues(target.content, (each, media): Content => {
    const examples = media.endsWith('json') || media === formMedia ? examplesOf(each) : undefined;
    return examples && isFilled(examples) ? { ...each, examples } : each;
  });
  return { ...target, content };
}

/** Errors are recorded once for all operations whose errors have the same form and status. */
function errorExamples(document: OpenApiDocument, exchanges: Exchanges): Record<string, Examples> {
  const found: Record<string, Examples> = {};
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      for (const exchange of exchanges[operation.operationId] ?? []) {
        const content = exchange.status >= 400 ? contentOf(document, operation, exchange.status) : undefined;
        if (!content) continue;
        const key = errorKey(content, String(exchange.status));
        found[key] = { ...found[key], ...byName([exchange], ({ response }) => response) };
      }
    }
  }
  return found;
}

function contentOf(document: OpenApiDocument, operation: Operation, status: number): Content | undefined {
  const response = operation.responses[String(status)];
  if (!response) return undefined;
  const resolved = '$ref' in response ? document.components.responses?.[nameOf(response)] : response;
  return Object.values(resolved?.content ?? {})[0];
}

const errorKey = ({ schema }: Content, status: string): string => `${schema.$ref} ${status}`;

const nameOf = ({ $ref }: Reference): string => $ref.replace(/^.*\//, '');

function statusesOfSharedResponses(document: OpenApiDocument): Map<string, string> {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const named = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]: [string, Response | Reference]): [string, string][] =>
      '$ref' in response ? [[nameOf(response), status]] : [],
    ),
  );
  return new Map(named);
}

const slug = (name: string): string => name.toLowerCase().replace(/\W+/g, '_').replace(/^_|_$/g, '');

const isFilled = (examples: Examples): boolean => Object.keys(examples).length > 0;

const mapMethods = (item: PathItem, change: (operation: Operation) => Operation): PathItem =>
  Object.fromEntries(Object.entries(item).map(([method, operation]) => [method as Method, change(operation)]));

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
