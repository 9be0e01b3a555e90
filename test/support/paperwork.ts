/** A customer's paperwork through the interface itself: each function makes one thing and answers its id. */
import type { ApiClient } from './client.ts';
import { uploadedFile } from './encrypted-upload.ts';
import type { TestServer } from './server.ts';
import { idOf } from './small-catalogue.ts';

type Links = Record<string, { type: string; id: string } | { type: string; id: string }[] | null>;

export function document(type: string, attributes: Record<string, unknown>, links: Links = {}) {
  const relationships = Object.fromEntries(Object.entries(links).map(([name, data]) => [name, { data }]));
  return { data: { type, attributes, relationships } };
}

export const link = (type: string, id: string) => ({ type, id });
export const germany = () => link('countries', idOf('countries', 'DE'));

export const person = { identity_type: 'personal', first_name: 'Jane', last_name: 'Doe', phone_number: '442037691880' };
export const company = { ...person, identity_type: 'business', company_name: 'Doe & Sons' };

/** Creates what must be creatable. */
export async function made(
  client: ApiClient,
  type: string,
  attributes: Record<string, unknown>,
  links: Links = {},
): Promise<string> {
  const response = await client.post(`/${type}`, document(type, attributes, links));
  if (response.status !== 201) throw new Error(`${type} was refused: ${response.text}`);
  return response.resource.id;
}

export const makeIdentity = (client: ApiClient, attributes: Record<string, unknown> = {}) =>
  made(client, 'identities', { ...person, birth_date: '1990-02-03', ...attributes });

export const makeAddress = (client: ApiClient, identityId: string, attributes: Record<string, unknown> = {}) =>
  made(
    client,
    'addresses',
    { address: 'Unter den Linden 1', city_name: 'Berlin', postal_code: '10117', ...attributes },
    { identity: link('identities', identityId), country: germany() },
  );

export async function proofTypeId(server: TestServer, entityType: string, name: string): Promise<string> {
  const { id } = await server.env.db
    .selectFrom('proof_types')
    .select('id')
    .where('entity_type', '=', entityType as 'Personal')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return id;
}

export async function makeProof(
  server: TestServer,
  { client, key }: { client: ApiClient; key: string },
  entity: { type: string; id: string },
  [entityType, name]: readonly [string, string],
): Promise<string> {
  const type = await proofTypeId(server, entityType, name);
  const file = await uploadedFile(server, key);
  return made(
    client,
    'proofs',
    {},
    {
      proof_type: link('proof_types', type),
      entity,
      files: [link('encrypted_files', file)],
    },
  );
}

/** Everything that Berlin's numbers ask of a person. */
export async function makePaperwork(server: TestServer, account: { client: ApiClient; key: string } = server) {
  const identity = await makeIdentity(account.client);
  const address = await makeAddress(account.client, identity);
  const identityProof = await makeProof(server, account, link('identities', identity), ['Personal', 'Passport']);
  const addressProof = await makeProof(server, account, link('addresses', address), ['Address', 'Utility Bill']);
  return { identity, address, identityProof, addressProof };
}
