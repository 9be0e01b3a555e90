/**
 * The part of the API reference about `/v3`: the declared types, and the routes with another media type than JSON:API.
 */
import { describedCallbacks } from '../../../business/callbacks/openapi.ts';
import { idempotencyParameterName, parameterRef } from '../../../engines/jsonapi/openapi/parameters.ts';
import { registryPart } from '../../../engines/jsonapi/openapi/part.ts';
import { arrayOf, errorResponses, schemaRef, strictObject } from '../../../engines/jsonapi/openapi/schemas.ts';
import type { OpenApiPart, Operation, PathItem, Tag } from '../../../engines/openapi/types.ts';
import { uploadFormsOf } from '../versions/forms.ts';
import { knownVersions, newestVersion } from '../versions/versions.ts';
import { registryOf } from './registries.ts';
import { pageSizes } from './routes.ts';

/** The functional groups of the specification, in its order. */
const groups: readonly Tag[] = [
  { name: 'Coverage', description: 'Where numbers are sold: countries, regions, cities, areas.' },
  {
    name: 'DID groups',
    description: 'Numbers that share a price and capabilities, and the individual numbers in them.',
  },
  { name: 'DID reservations', description: 'A short hold on a number while an order is prepared.' },
  { name: 'Orders', description: 'Buying numbers and channel capacity.' },
  { name: 'DIDs', description: 'Owned numbers and how each is routed.' },
  { name: 'Account', description: 'Balance, history and exports.' },
  { name: 'Capacity', description: 'Channel pools and the groups that share them.' },
  { name: 'Inbound trunks', description: 'Where inbound calls are delivered.' },
  { name: 'Outbound trunks', description: 'Who may call out, from where, and with which number.' },
  { name: 'Regulation', description: 'Identities, addresses and documents.' },
  { name: 'Address verifications', description: 'Submitting an identity and an address for approval.' },
  { name: 'Emergency', description: 'Emergency calling: requirements, validation and the service itself.' },
];

export function platformPart(headerWord: string, version = newestVersion): OpenApiPart {
  const part = declaredPart(headerWord, version);
  return { ...part, paths: withCallbacks(part, headerWord) };
}

/** What takes a `callback_url` shows the callback that is sent there. */
function withCallbacks({ paths, components }: OpenApiPart, headerWord: string): OpenApiPart['paths'] {
  const shown: Record<string, PathItem> = { ...paths };
  for (const [type, callbacks] of Object.entries(describedCallbacks(headerWord))) {
    const { properties = {} } = components.schemas?.[`${type}_attributes`] ?? {};
    if (!Object.hasOwn(properties, 'callback_url')) continue;
    const add = (path: string, method: 'post' | 'patch') => {
      const operation = shown[path]?.[method];
      if (operation !== undefined) shown[path] = { ...shown[path], [method]: { ...operation, callbacks } };
    };
    add(`/v3/${type}`, 'post');
    // The only one whose URL can be changed later.
    if (type === 'voice_out_trunks') add(`/v3/${type}/{id}`, 'patch');
  }
  return shown;
}

const declaredPart = (headerWord: string, version: string): OpenApiPart =>
  registryPart(registryOf(version), {
    prefix: '/v3',
    versionHeader: `X-${headerWord}-Api-Version`,
    versions: knownVersions,
    keyed: true,
    pageSizes,
    tags: groups,
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: 'api-key',
      description: 'A key of the account in this environment.',
    },
  });

const security = [{ api_key: [] }];

const upload: Operation = {
  operationId: 'create_encrypted_files',
  summary: 'Upload an encrypted file',
  description: 'A form with one file, encrypted for both keys of `/public_keys`. It is kept for a day.',
  tags: ['Regulation'],
  security,
  parameters: [parameterRef(idempotencyParameterName), parameterRef('api_version')],
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            'encrypted_files[file]': {
              type: 'string',
              format: 'binary',
              description: 'The encrypted file, at most 20 MiB.',
            },
            'encrypted_files[encryption_fingerprint]': {
              type: 'string',
              pattern: '^[0-9a-f]{40}:::[0-9a-f]{40}$',
              description: 'SHA-1 fingerprints of the two keys the file was encrypted for.',
            },
            'encrypted_files[description]': { type: 'string', description: 'Your own note.' },
          },
          required: ['encrypted_files[file]', 'encrypted_files[encryption_fingerprint]'],
        },
      },
    },
  },
  responses: {
    201: {
      description: 'Created.',
      content: { 'application/json': { schema: schemaRef('encrypted_files_document') } },
    },
    ...errorResponses({ writes: true }),
  },
};

const file = { 'application/gzip': { schema: { type: 'string', format: 'binary' } } };

const download: Operation = {
  operationId: 'download_export',
  summary: 'Download the file of a completed export',
  tags: ['Account'],
  security,
  parameters: [
    {
      name: 'filename',
      in: 'path',
      required: true,
      schema: { type: 'string' },
      description: 'From the `url` of the export.',
    },
    {
      name: 'Range',
      in: 'header',
      schema: { type: 'string' },
      description: 'One range of bytes, to go on where a download ended.',
    },
  ],
  responses: {
    200: { description: 'The file.', content: file },
    206: { description: 'A part of the file.', content: file },
    416: { description: 'The file is shorter than that.' },
    ...errorResponses({ named: true, cached: true }),
  },
};

const form: Operation = {
  operationId: 'download_form',
  summary: 'Download the blank form of a supporting document',
  tags: ['Regulation'],
  security: [],
  parameters: [{ name: 'key', in: 'path', required: true, schema: { type: 'string' } }],
  responses: {
    200: { description: 'The form.', content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } },
    404: {
      description: 'There is no such form.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { error: { type: 'string' } },
            required: ['error'],
            additionalProperties: false,
          },
        },
      },
    },
  },
};

const csv = { 'text/csv': { schema: { type: 'string', format: 'binary' } } } as const;

/** Where clients of versions before 2021-12-15 find it. */
const plainDownload: Operation = {
  ...download,
  operationId: 'download_cdr_export',
  summary: 'Download the file of a completed export, not compressed',
  parameters: (download.parameters ?? []).slice(0, 1),
  responses: { 200: { description: 'The file.', content: csv }, ...errorResponses({ named: true, cached: true }) },
};

/** Before 2026-04-16 a form could hold several files, and its response was their ids. */
function uploadOf(version: string): Operation {
  const [batch, single] = uploadFormsOf(version);
  if (!batch?.response || !single) return upload;
  const ids = strictObject({ ids: arrayOf({ type: 'string', format: 'uuid' }) });
  const content = { 'application/json': { schema: { oneOf: [schemaRef('encrypted_files_document'), ids] } } };
  return {
    ...upload,
    summary: 'Upload encrypted files',
    description: `A form with up to ${batch.files} files (\`${batch.file}\`), each with its \`${batch.description}\`; or with one.`,
    responses: { ...upload.responses, 201: { description: 'Created.', content } },
  };
}

export function ownRoutesPart(version = newestVersion): OpenApiPart {
  const registry = registryOf(version);
  const has = (type: string) => registry.get(type) !== undefined;
  return {
    tags: [],
    paths: {
      ...(has('encrypted_files') ? { '/v3/encrypted_files': { post: uploadOf(version) } } : {}),
      ...(has('exports')
        ? { '/v3/exports/{filename}.csv.gz': { get: download } }
        : { '/v3/cdr_exports/{filename}.csv': { get: plainDownload } }),
      ...(has('supporting_document_templates') ? { '/storage/public/{key}': { get: form } } : {}),
    },
    components: {},
  };
}
