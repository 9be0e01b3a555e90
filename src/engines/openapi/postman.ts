/**
 * A Postman collection (format 2.1) made from an OpenAPI document: a folder for each tag, a request for each operation.
 */
import type { OpenApiDocument, Operation, Parameter, Reference, Schema } from './types.ts';

const formMedia = 'multipart/form-data';
const collectionFormat = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

export function postmanCollection(document: OpenApiDocument): string {
  const requests = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.deprecated !== true)
      .map(([method, operation]) => ({ tag: operation.tags[0], item: requestOf(document, path, method, operation) })),
  );
  const folders = document.tags.map(({ name, description = '' }) => ({
    name,
    description,
    item: requests.filter(({ tag }) => tag === name).map(({ item }) => item),
  }));
  const collection = {
    info: {
      name: `${document.info.title} ${document.info.version}`,
      description: document.info.description ?? '',
      schema: collectionFormat,
    },
    auth: apiKey,
    variable: [
      { key: 'base_url', value: document.servers[0]?.url ?? '' },
      { key: 'api_key', value: '' },
      { key: 'otp_key', value: '' },
      { key: 'otp_secret', value: '' },
    ],
    item: folders.filter(({ item }) => item.length > 0),
  };
  return JSON.stringify(collection, null, 1);
}

const apiKey = {
  type: 'apikey',
  apikey: [
    { key: 'key', value: 'api-key' },
    { key: 'value', value: '{{api_key}}' },
    { key: 'in', value: 'header' },
  ],
};

const basic = {
  type: 'basic',
  basic: [
    { key: 'username', value: '{{otp_key}}' },
    { key: 'password', value: '{{otp_secret}}' },
  ],
};

function requestOf(document: OpenApiDocument, path: string, method: string, operation: Operation): object {
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const [example] = Object.values(content?.examples ?? {});
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description ?? '',
      ...authOf(operation),
      header: [
        { key: 'Accept', value: acceptOf(operation) },
        ...parameters
          .filter(({ name, in: place }) => place === 'header' && /-Api-Version$/.test(name))
          .map(({ name }) => ({ key: name, value: document.info.version })),
        ...(media && media !== formMedia && example ? [{ key: 'Content-Type', value: media }] : []),
      ],
      url: urlOf(path, parameters),
      ...bodyOf(media, content?.schema, example?.value),
    },
    response: [],
  };
}

/** The collection's own is the account's key. */
function authOf({ security = [] }: Operation): object {
  if (security.length === 0) return { auth: { type: 'noauth' } };
  return security.some((each) => 'api_key' in each) ? {} : { auth: basic };
}

function urlOf(path: string, parameters: readonly Parameter[]): object {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query' && parameter.style !== 'deepObject');
  const words = path.replace(/\{(\w+)\}/g, ':$1');
  return {
    raw: `{{base_url}}${words}`,
    host: ['{{base_url}}'],
    path: words.split('/').slice(1),
    ...(inPath.length > 0
      ? { variable: inPath.map(({ name, example }) => ({ key: name, value: String(example ?? '') })) }
      : {}),
    ...(inQuery.length > 0
      ? { query: inQuery.map(({ name, description = '' }) => ({ key: name, value: '', description, disabled: true })) }
      : {}),
  };
}

function bodyOf(media: string | undefined, schema: Schema | undefined, example: unknown): object {
  if (example === undefined) return {};
  if (media === formMedia) return { body: { mode: 'formdata', formdata: formOf(schema, example) } };
  const raw = JSON.stringify(example, null, 2);
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
}

/** A part for each member; Postman asks for the file of a binary one. */
function formOf(schema: Schema | undefined, example: unknown): object[] {
  return Object.entries(Object(example)).map(([key, value]) =>
    schema?.properties?.[key]?.format === 'binary' ? { key, type: 'file', src: value } : { key, type: 'text', value },
  );
}

function acceptOf({ responses }: Operation): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const media = success && 'content' in success ? Object.keys(success.content ?? {})[0] : undefined;
  return media ?? '*/*';
}

function resolve(document: OpenApiDocument, parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const found = document.components.parameters?.[parameter.$ref.replace(/^.*\//, '')];
  if (!found) throw new Error(`${parameter.$ref} leads nowhere`);
  return found;
}
