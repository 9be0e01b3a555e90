/** Puts the rooms' parts together into one document. */
import type { Components, OpenApiDocument, OpenApiPart, PathItem, Tag } from './types.ts';

interface Frame {
  title: string;
  version: string;
  description: string;
  serverUrl: string;
  serverDescription: string;
}

/** A later part may replace single operations of an earlier one: a room that handles a derived route in its own way. */
export function composeOpenApi(frame: Frame, parts: readonly OpenApiPart[]): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  for (const part of parts) {
    for (const [path, item] of Object.entries(part.paths)) paths[path] = { ...paths[path], ...item };
  }
  const webhooks: Record<string, PathItem> = Object.assign({}, ...parts.map((part) => part.webhooks ?? {}));
  return {
    openapi: '3.1.0',
    info: { title: frame.title, version: frame.version, description: frame.description },
    servers: [{ url: frame.serverUrl, description: frame.serverDescription }],
    tags: [...new Map(parts.flatMap(({ tags }) => tags).map((tag): [string, Tag] => [tag.name, tag])).values()],
    paths,
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
    components: {
      schemas: merge(parts, 'schemas'),
      parameters: merge(parts, 'parameters'),
      responses: merge(parts, 'responses'),
      securitySchemes: merge(parts, 'securitySchemes'),
    },
  };
}

function merge<K extends keyof Components>(parts: readonly OpenApiPart[], kind: K): NonNullable<Components[K]> {
  return Object.assign({}, ...parts.map(({ components }) => components[kind] ?? {}));
}
