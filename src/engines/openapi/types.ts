/** The parts of OpenAPI 3.1 and JSON Schema 2020-12 that this server uses. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[] | undefined;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  not?: Schema;
  discriminator?: { propertyName: string; mapping?: Readonly<Record<string, string>> };
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  examples?: readonly unknown[];
  /** What each value of `enum` means, as documentation tools read it. */
  'x-enumDescriptions'?: Readonly<Record<string, string>>;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  description?: string;
  required?: boolean;
  deprecated?: boolean;
  example?: unknown;
  schema: Schema;
  style?: 'form' | 'simple' | 'deepObject';
  explode?: boolean;
}

export interface Reference {
  $ref: string;
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface Content {
  schema: Schema;
  examples?: Readonly<Record<string, Example>>;
}

interface RequestBody {
  required: boolean;
  description?: string;
  content: Readonly<Record<string, Content>>;
}

export interface Response {
  description: string;
  headers?: Readonly<Record<string, { description?: string; schema: Schema }>>;
  content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  deprecated?: boolean;
  /** An empty list: open to everyone. */
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: RequestBody;
  responses: Readonly<Record<string, Response | Reference>>;
  /** Requests that this operation makes the server send, by name and by the expression that says where to. */
  callbacks?: Readonly<Record<string, Readonly<Record<string, PathItem>>>>;
}

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';
export type PathItem = Partial<Record<Method, Operation>>;

export interface Tag {
  name: string;
  description?: string;
}

export interface Components {
  schemas?: Readonly<Record<string, Schema>>;
  parameters?: Readonly<Record<string, Parameter>>;
  responses?: Readonly<Record<string, Response>>;
  securitySchemes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What one room has to say: paths are absolute (`/v3/countries`), names of components are its own. */
export interface OpenApiPart {
  tags: readonly Tag[];
  paths: Readonly<Record<string, PathItem>>;
  /** Requests that the server sends without an operation that asks for them. */
  webhooks?: Readonly<Record<string, PathItem>>;
  components: Components;
}

export interface OpenApiDocument extends Record<string, unknown> {
  openapi: '3.1.0';
  info: { title: string; version: string; summary?: string; description?: string };
  servers: readonly { url: string; description?: string }[];
  tags: readonly Tag[];
  paths: Readonly<Record<string, PathItem>>;
  webhooks?: Readonly<Record<string, PathItem>>;
  components: Components;
}
