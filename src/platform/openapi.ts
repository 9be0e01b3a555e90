/** What the number platform says of itself in the API reference. */
import { registryPart } from '../jsonapi/openapi/part.ts';
import type { OpenApiPart, Tag } from '../openapi/types.ts';
import { registry } from './routes.ts';
import { KNOWN_VERSIONS } from './versions/versions.ts';

/** The functional groups of the specification, in its order. */
const GROUPS: readonly Tag[] = [
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

export const platformPart = (headerWord: string): OpenApiPart =>
  registryPart(registry, {
    prefix: '/v3',
    versionHeader: `X-${headerWord}-Api-Version`,
    versions: KNOWN_VERSIONS,
    tags: GROUPS,
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: 'api-key',
      description: 'A key of the account in this environment.',
    },
  });
