/** One request for every documented create of `/v3`, each with what it needs made before. */

import { berlinRequirement } from './address-submissions.ts';
import { customer, newYorkRequirement } from './emergency.ts';
import { uploadedFile } from './encrypted-upload.ts';
import { runDueJobs } from './environment.ts';
import { document, germany, link, makeIdentity, makePaperwork, person, proofTypeId } from './paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from './registered-number.ts';
import { capacityItem, credentials, didItem, orderDocument, postOrder, postOutboundTrunk } from './requests.ts';
import type { TestAccount, TestServer } from './server.ts';
import { layOutPool } from './shop.ts';
import { idOf, stockNumbers } from './small-catalogue.ts';

export interface MadeCreate {
  path: string;
  body: { data: { type: string; attributes: object; relationships?: object } };
  /** The members of another request to the same path; a name of its own where nothing else is said. */
  other?: object;
  /** Who sends it, if not the shop's first account. */
  by?: TestAccount;
  /** What one more row of says that it was done; null if nothing is stored. */
  table: string | null;
}

const sip = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };
let made = 0;
const name = () => `made ${++made}`;

const create = (
  type: string,
  attributes: Record<string, unknown>,
  links: Parameters<typeof document>[2] = {},
  more: Partial<MadeCreate> = {},
): MadeCreate => ({ path: `/${type}`, body: document(type, attributes, links), table: type, ...more });

/** What the requests below need: a catalogue with paperwork, and a pool of channels. */
export async function loadForCreates(server: TestServer): Promise<void> {
  await loadPaperworkCatalogue(server);
  await layOutPool(server.env.pool);
  await postOrder(server.client, [capacityItem({ capacity_pool_id: await poolOf(server), qty: 40 })]);
}

async function poolOf(server: TestServer): Promise<string> {
  const { rows } = await server.env.pool.query('select id from capacity_pools where account_id = $1', [
    server.accountId,
  ]);
  return rows[0].id;
}

async function stockLondon(server: TestServer, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, () => `442098${String(++made).padStart(6, '0')}`);
  await stockNumbers(server.env.pool, 'London', numbers);
  return numbers;
}

async function template(shop: TestServer): Promise<string> {
  const { rows } = await shop.env.pool.query('select id from supporting_document_templates where permanent limit 1');
  return rows[0].id;
}

/** By operation: what is asked of a shop that has the catalogue for paperwork too. */
export const creates: Readonly<Record<string, (shop: TestServer) => Promise<MadeCreate>>> = {
  create_orders: async (shop) => {
    await stockLondon(shop, 10);
    return {
      path: '/orders',
      body: orderDocument([didItem({ sku_id: idOf('stock_keeping_units', 'London 2') })]),
      other: { external_reference_id: 'another' },
      table: 'orders',
    };
  },
  'create_orders of channels': async (shop) => ({
    path: '/orders',
    body: orderDocument([capacityItem({ capacity_pool_id: await poolOf(shop), qty: 2 })]),
    other: { external_reference_id: 'another' },
    table: 'orders',
  }),
  create_did_reservations: async (shop) => {
    const [number = ''] = await stockLondon(shop, 1);
    const { rows } = await shop.env.pool.query('select id from available_dids where number = $1', [number]);
    return {
      path: '/did_reservations',
      body: document('did_reservations', {}, { available_did: link('available_dids', rows[0].id) }),
      other: { description: 'another' },
      table: 'did_reservations',
    };
  },
  create_exports: async () =>
    create(
      'exports',
      { export_type: 'cdr_in', filters: { from: '2026-05-01 00:00:00', to: '2026-05-02 00:00:00' } },
      {},
      {
        other: { external_reference_id: 'another' },
      },
    ),
  create_voice_in_trunks: async () => create('voice_in_trunks', { name: name(), configuration: sip }),
  create_voice_in_trunk_groups: async () => create('voice_in_trunk_groups', { name: name() }),
  create_voice_out_trunks: async () =>
    create('voice_out_trunks', {
      name: name(),
      on_cli_mismatch_action: 'reject_call',
      authentication_method: credentials(),
    }),
  create_voice_out_trunk_regenerate_credentials: async (shop) => {
    const trunk = await postOutboundTrunk(shop.client, { name: name() });
    const type = 'voice_out_trunk_regenerate_credentials';
    return create(type, {}, { voice_out_trunk: link('voice_out_trunks', trunk.resource.id) }, { table: null });
  },
  create_shared_capacity_groups: async (shop) =>
    create(
      'shared_capacity_groups',
      { name: name(), shared_channels_count: 1, metered_channels_count: 0 },
      { capacity_pool: link('capacity_pools', await poolOf(shop)) },
    ),
  create_identities: async () => create('identities', { ...person }, {}, { other: { first_name: 'John' } }),
  create_addresses: async (shop) =>
    create(
      'addresses',
      { address: 'Unter den Linden 1', city_name: 'Berlin', postal_code: '10117' },
      { identity: link('identities', await makeIdentity(shop.client)), country: germany() },
      { other: { postal_code: '10118' } },
    ),
  create_proofs: async (shop) =>
    create(
      'proofs',
      {},
      {
        proof_type: link('proof_types', await proofTypeId(shop, 'Personal', 'Passport')),
        entity: link('identities', await makeIdentity(shop.client)),
        files: [link('encrypted_files', await uploadedFile(shop, shop.key))],
      },
      { other: { external_reference_id: 'another' } },
    ),
  create_permanent_supporting_documents: async (shop) =>
    create(
      'permanent_supporting_documents',
      {},
      {
        template: link('supporting_document_templates', await template(shop)),
        identity: link('identities', await makeIdentity(shop.client)),
        files: [link('encrypted_files', await uploadedFile(shop, shop.key))],
      },
      { other: { external_reference_id: 'another' } },
    ),
  create_address_verifications: async (shop) => {
    const { address } = await makePaperwork(shop);
    await runDueJobs(shop.env);
    const dids = await buyNumbers(shop, shop.client, 'Berlin', 1);
    return create(
      'address_verifications',
      {},
      { address: link('addresses', address), dids: dids.map((id) => link('dids', id)) },
      { other: { external_reference_id: 'another' } },
    );
  },
  create_emergency_verifications: async (shop) => {
    const by = await customer(shop);
    return create(
      'emergency_verifications',
      {},
      { address: link('addresses', by.address), dids: by.dids.map((id) => link('dids', id)) },
      { by, other: { external_reference_id: 'another' } },
    );
  },
  create_address_requirement_validations: async (shop) => {
    const { identity, address } = await makePaperwork(shop);
    const links = { address_requirement: berlinRequirement, identity: link('identities', identity) };
    return create(
      'address_requirement_validations',
      {},
      { ...links, address: link('addresses', address) },
      { table: null },
    );
  },
  create_emergency_requirement_validations: async (shop) => {
    const identity = await makeIdentity(shop.client);
    return create(
      'emergency_requirement_validations',
      {},
      { emergency_requirement: newYorkRequirement, identity: link('identities', identity) },
      { table: null },
    );
  },
};

/** A second request to the same path. */
export async function otherBody(shop: TestServer, { body, other, table }: MadeCreate): Promise<object> {
  if (table !== null) {
    const attributes = { ...body.data.attributes, ...(other ?? { name: name() }) };
    return { data: { ...body.data, attributes } };
  }
  const { relationships } = body.data;
  const linked = relationships && 'voice_out_trunk' in relationships ? 'voice_out_trunk' : 'identity';
  const id =
    linked === 'identity'
      ? await makeIdentity(shop.client)
      : (await postOutboundTrunk(shop.client, { name: name() })).resource.id;
  const type = linked === 'identity' ? 'identities' : 'voice_out_trunks';
  return { data: { ...body.data, relationships: { ...relationships, [linked]: { data: link(type, id) } } } };
}
