/** The OpenAPI 3.1 description of everything that the engine serves for a registry. */
import type { OpenApiPart, Operation, PathItem, Tag } from '../../openapi/types.ts';
import type { Registry } from '../resource.ts';
import { includedSchemas, sharedSchemas } from './documents.ts';
import { deriveOperations, relationshipsTag, securitySchemeName } from './operations.ts';
import {
  fieldsName,
  fieldsParameter,
  idempotencyParameter,
  idempotencyParameterName,
  pageParameters,
  parameterRef,
  versionParameter,
} from './parameters.ts';
import { resourceSchemas } from './resources.ts';
import { type Schemas, sharedResponses } from './schemas.ts';

interface PartOptions {
  /** Where the engine is mounted: `/v3`. */
  prefix: string;
  /**
   * The request header that selects a version, and the versions there are; an interface with one version has neither.
   */
  versionHeader?: string;
  versions: readonly string[];
  /** Whether a create with an `Idempotency-Key` is done once. */
  keyed?: boolean;
  pageSizes: { default: number; max: number };
  /** The groups of the specification, in its order. */
  tags: readonly Tag[];
  /** How callers prove who they are. */
  securityScheme: Readonly<Record<string, unknown>>;
}

export function registryPart(registry: Registry, options: PartOptions): OpenApiPart {
  const paths: Record<string, PathItem> = {};
  const absent = [
    ...(options.versionHeader ? [] : [versionParameterName]),
    ...(options.keyed ? [] : [idempotencyParameterName]),
  ];
  const schemas: Schemas = { ...sharedSchemas, ...includedSchemas(registry) };
  for (const resource of registry.all()) {
    const derived = deriveOperations(registry, resource, options.prefix);
    Object.assign(paths, without(derived.paths, absent));
    Object.assign(schemas, resourceSchemas(resource), derived.schemas);
  }
  const used = new Set(registry.all().map(({ group }) => group ?? 'Other'));
  return {
    tags: [
      ...options.tags.filter(({ name }) => used.has(name)),
      ...(used.has('Other') ? [{ name: 'Other' }] : []),
      {
        name: relationshipsTag,
        description: 'What a record is linked to: the linkage alone, and the related records.',
      },
    ],
    paths,
    components: {
      schemas,
      parameters: {
        ...pageParameters(options.pageSizes, registry.all()),
        ...Object.fromEntries(
          registry.all().map((resource) => [fieldsName(resource.type), fieldsParameter(registry, resource)]),
        ),
        ...(options.keyed ? { [idempotencyParameterName]: idempotencyParameter } : {}),
        ...(options.versionHeader
          ? { [versionParameterName]: versionParameter(options.versionHeader, options.versions) }
          : {}),
      },
      responses: sharedResponses,
      securitySchemes: { [securitySchemeName]: options.securityScheme },
    },
  };
}

const versionParameterName = 'api_version';

/** The operations without parameters that this interface does not have. */
function without(paths: Readonly<Record<string, PathItem>>, names: readonly string[]): Record<string, PathItem> {
  const absent = new Set(names.map((name) => parameterRef(name).$ref));
  const strip = (operation: Operation): Operation => ({
    ...operation,
    parameters: (operation.parameters ?? []).filter((each) => !('$ref' in each && absent.has(each.$ref))),
  });
  const stripAll = (item: PathItem): PathItem =>
    Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, strip(operation)]));
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, stripAll(item)]));
}
