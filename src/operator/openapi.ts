/** The OpenAPI document of /operator/v1. */
import type { Environment } from '../environment.ts';
import { registryPart } from '../jsonapi/openapi/part.ts';
import { errorResponses } from '../jsonapi/openapi/schemas.ts';
import { composeOpenApi } from '../openapi/compose.ts';
import { strictObject } from '../openapi/schema.ts';
import type { OpenApiDocument, OpenApiPart, Operation, Parameter, Schema, Tag } from '../openapi/types.ts';
import { registry } from './resources.ts';
import { roleNames, roleTexts } from './roles.ts';
import { operatorPageSizes, operatorVersion, prefix } from './routes.ts';

const groups: readonly Tag[] = [
  { name: 'Accounts', description: 'Customers: limits, features, suspension.' },
  { name: 'Numbers', description: 'Whose a number is, and where a call to it would go.' },
  { name: 'Orders', description: 'What customers bought.' },
  { name: 'Money', description: 'Corrections of balances, and the ledger.' },
  { name: 'Audit', description: 'What operators did.' },
  { name: 'Operators', description: 'Who may use this interface.' },
];

const description = `What runs the business: every account, with an operator's key in the header \`api-key\`. A key of
another environment, or of a customer, is 401; what a role may not do is 403. Every change is an entry of the audit log.

${roleNames.map((name) => `- \`${name}\`: ${roleTexts[name]}`).join('\n')}`;

export function operatorDocument(env: Pick<Environment, 'name'>, serverUrl: string): OpenApiDocument {
  const frame = { title: 'Trunkline operator', version: operatorVersion, description, serverUrl };
  const engine = registryPart(registry, {
    prefix,
    versions: [],
    pageSizes: operatorPageSizes,
    tags: groups,
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: 'api-key',
      description: 'A key of an operator in this environment.',
    },
  });
  return composeOpenApi({ ...frame, serverDescription: env.name }, [engine, ownRoutes(engine)]);
}

const security = [{ api_key: [] }];
const text: Schema = { type: 'string' };
const textOrNull: Schema = { type: ['string', 'null'] };

const parameter = (name: string, line: string): Parameter => ({
  name,
  in: 'query',
  required: true,
  schema: text,
  description: line,
});

const dryRun: Operation = {
  operationId: 'dry_run_routing',
  summary: 'Ask where a call would go now',
  description: 'The decision of the real routing, without a call: nothing is stored and no channel is taken.',
  tags: ['Numbers'],
  security,
  parameters: [
    parameter('from', "The caller's number, or `anonymous`."),
    parameter('to', 'The number that is called.'),
  ],
  responses: {
    200: {
      description: 'The decision.',
      content: {
        'application/json': {
          schema: strictObject({
            decision: { type: 'string', enum: ['routed', 'refused'] },
            code: { type: ['integer', 'null'], description: 'The SIP code of a refused call.' },
            reason: { ...textOrNull, description: 'Why it is refused.' },
            account_id: { ...textOrNull, description: 'Whose number it is.' },
            trunks: {
              type: 'array',
              description: 'The trunks that would be tried, in order.',
              items: strictObject({
                id: text,
                name: text,
                priority: { type: 'integer' },
                weight: { type: 'integer' },
                destination: text,
              }),
            },
            notes: { type: 'array', items: text, description: 'What was considered on the way.' },
          }),
        },
      },
    },
    ...errorResponses({}),
  },
};

/** The CSV takes the filters of the list. */
function ownRoutes(engine: OpenApiPart): OpenApiPart {
  const list = engine.paths[`${prefix}/audit_entries`]?.get;
  const csv: Operation = {
    operationId: 'export_audit_entries',
    summary: 'Download audit entries as CSV',
    description: 'All that the filters find, newest first.',
    tags: ['Audit'],
    security,
    parameters: (list?.parameters ?? []).filter((each) => 'name' in each && each.name.startsWith('filter')),
    responses: {
      200: { description: 'The file.', content: { 'text/csv': { schema: text } } },
      ...errorResponses({}),
    },
  };
  return {
    tags: [],
    paths: { [`${prefix}/routing`]: { get: dryRun }, [`${prefix}/audit_entries.csv`]: { get: csv } },
    components: {},
  };
}
