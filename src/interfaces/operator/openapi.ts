/** The OpenAPI document of /operator/v1. */
import type { Environment } from '../../engines/environment.ts';
import { registryPart } from '../../engines/jsonapi/openapi/part.ts';
import { composeOpenApi } from '../../engines/openapi/compose.ts';
import type { OpenApiDocument, Tag } from '../../engines/openapi/types.ts';
import { ownRoutes } from './openapi-routes.ts';
import { registry } from './resources.ts';
import { roleNames, roleTexts } from './roles.ts';
import { operatorPageSizes, operatorVersion, prefix } from './routes.ts';

const groups: readonly Tag[] = [
  { name: 'Accounts', description: 'Customers: limits, features, suspension.' },
  { name: 'Search', description: 'One search over everything.' },
  { name: 'Numbers', description: 'Who owns a number, what happened to it, and where a call to it would go.' },
  { name: 'Orders', description: 'What customers bought.' },
  { name: 'Calls', description: 'Calls that are up, CDRs, recent calls message by message, and refused calls.' },
  { name: 'Verification', description: 'Codes: who asked for them, and what became of them.' },
  { name: 'Review', description: 'Paperwork of customers.' },
  { name: 'Inventory', description: 'The stock of numbers, and who waits for what.' },
  { name: 'Suppliers', description: 'Platforms whose numbers can be sold here: what they offer, at which prices.' },
  { name: 'Carriers and providers', description: 'Networks and providers of codes with their health.' },
  { name: 'Requests', description: 'Requests of the last days.' },
  { name: 'Jobs and callbacks', description: 'Work that waits or gave up; callbacks to customers.' },
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
