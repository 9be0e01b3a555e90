/**
 * A value for every member of `/v3` that customers can write, none of them its default, and what has to be there first.
 * Where members exclude each other, or a record has to be changed step by step, a type has several writes.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { makeAddress as makeAddressIn, postDecision } from './emergency.ts';
import { uploadedFile } from './encrypted-upload.ts';
import { runDueJobs } from './environment.ts';
import {
  company,
  document,
  germany,
  link,
  made,
  makeAddress,
  makeIdentity,
  makeProof,
  proofTypeId,
} from './paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from './registered-number.ts';
import { capacityItem, credentials, didItem, postOrder } from './requests.ts';
import type { TestServer } from './server.ts';
import { idOf, insert, loadPoolTemplate } from './small-catalogue.ts';

type Link = { type: string; id: string };

export interface Write {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, Link | readonly Link[]>>;
  /** Where a response shows a member in another form than it was sent. */
  readonly shown?: Readonly<Record<string, unknown>>;
}

export interface WrittenType {
  readonly creates: () => Promise<readonly Write[]>;
  readonly updates: () => Promise<readonly Write[]>;
  /** The record that is updated, for types that customers do not create, or not twice. */
  readonly existing?: () => Promise<string>;
}

const callback = { callback_url: 'https://hooks.example.test/told', callback_method: 'get' };
const reference = (name: string) => ({ external_reference_id: `${name} of ours` });
const none = async (): Promise<readonly Write[]> => [];

export async function writtenTypes(server: TestServer): Promise<Readonly<Record<string, WrittenType>>> {
  await loadPaperworkCatalogue(server);
  const { client, env } = server;
  const template = await loadPoolTemplate(env.pool, {
    ...{ name: 'Standard', minimum_limit: 3, minimum_qty_per_order: 2 },
    ...{ setup_price: 1, monthly_price: 1, metered_rate: 0.02 },
  });
  const covered = ['GB', 'US'].map((iso) => ({ template_id: template, country_id: idOf('countries', iso) }));
  await insert(env.pool, 'capacity_pool_template_countries', covered);
  const [pool] = (await client.get('/capacity_pools')).resources;
  if (pool === undefined) throw new Error('the account has no capacity pool');
  await postOrder(client, [capacityItem({ capacity_pool_id: pool.id, qty: 60 })]);
  await runDueJobs(env);

  const poolLink = link('capacity_pools', pool.id);
  const number = async (group: 'London' | 'Berlin' | 'New York') =>
    (await buyNumbers(server, client, group, 1))[0] ?? '';
  const numberLink = async (group: 'London' | 'Berlin' | 'New York') => link('dids', await number(group));
  const sip = (host: string) => ({ type: 'sip_configurations', attributes: { host, codec_ids: [9, 10] } });
  const trunk = () => made(client, 'voice_in_trunks', { name: randomUUID(), configuration: sip('one.example.test') });
  const group = () => made(client, 'voice_in_trunk_groups', { name: randomUUID() });
  const file = async () => link('encrypted_files', await uploadedFile(server, server.key));
  const identity = await makeIdentity(client);
  const address = await makeAddress(client, identity);
  const pop = async () => {
    const { rows } = await env.pool.query(`select id from pops order by name limit 1`);
    return link('pops', rows[0].id);
  };

  return {
    did_reservations: {
      creates: async () => {
        // Those of former writes hold what little there is.
        const held = (await client.get('/did_reservations')).resources;
        for (const { id } of held) await client.delete(`/did_reservations/${id}`);
        const [available] = (await client.get('/available_dids')).resources;
        return [
          {
            attributes: { description: 'For Ann' },
            links: { available_did: link('available_dids', available?.id ?? '') },
          },
        ];
      },
      updates: none,
    },
    dids: {
      creates: none,
      existing: () => number('London'),
      updates: async () => {
        const shared = await made(
          client,
          'shared_capacity_groups',
          { name: randomUUID(), shared_channels_count: 1 },
          { capacity_pool: poolLink },
        );
        return [
          {
            attributes: {
              ...{ description: 'The front desk', capacity_limit: 7 },
              ...{ dedicated_channels_count: 1, billing_cycles_count: 5 },
            },
            links: { capacity_pool: poolLink, shared_capacity_group: link('shared_capacity_groups', shared) },
          },
          { attributes: {}, links: { voice_in_trunk: link('voice_in_trunks', await trunk()) } },
          { attributes: {}, links: { voice_in_trunk_group: link('voice_in_trunk_groups', await group()) } },
          { attributes: { terminated: true } },
        ];
      },
    },
    orders: {
      creates: async () => [
        {
          attributes: {
            items: [didItem({ sku_id: idOf('stock_keeping_units', 'London 2'), qty: 2, billing_cycles_count: 3 })],
            ...callback,
            ...reference('an order'),
            allow_back_ordering: true,
          },
          shown: { items: [{ type: 'did_order_items', attributes: expect.objectContaining({ qty: 2 }) }] },
        },
      ],
      updates: async () => [{ attributes: reference('the order') }],
    },
    capacity_pools: {
      creates: none,
      existing: async () => pool.id,
      updates: async () => [{ attributes: { total_channels_count: 58 } }],
    },
    shared_capacity_groups: {
      creates: async () => [
        {
          attributes: {
            ...{ name: randomUUID(), shared_channels_count: 2, metered_channels_count: 3 },
            ...reference('a group'),
          },
          links: { capacity_pool: poolLink, dids: [await numberLink('London')] },
        },
      ],
      updates: async () => [
        {
          attributes: {
            ...{ name: randomUUID(), shared_channels_count: 3, metered_channels_count: 1 },
            ...reference('the group'),
          },
          links: { capacity_pool: poolLink, dids: [await numberLink('London')] },
        },
      ],
    },
    voice_in_trunks: {
      creates: async () => [
        {
          attributes: {
            ...{ name: randomUUID(), description: 'Upstairs', ...reference('a trunk') },
            ...{ priority: 5, weight: 7, capacity_limit: 3, cli_format: 'raw', cli_prefix: '+', ringing_timeout: 20 },
            configuration: sip('two.example.test'),
          },
          shown: { configuration: expect.objectContaining(sipShown('two.example.test')) },
          links: {
            voice_in_trunk_group: link('voice_in_trunk_groups', await group()),
            pop: await pop(),
          },
        },
      ],
      updates: async () => [
        {
          attributes: {
            ...{ name: randomUUID(), description: 'Downstairs', ...reference('the trunk') },
            ...{
              priority: 6,
              weight: 8,
              capacity_limit: 4,
              cli_format: 'local',
              cli_prefix: '00',
              ringing_timeout: 21,
            },
            configuration: sip('three.example.test'),
          },
          shown: { configuration: expect.objectContaining(sipShown('three.example.test')) },
          links: {
            voice_in_trunk_group: link('voice_in_trunk_groups', await group()),
            pop: await pop(),
          },
        },
      ],
    },
    voice_in_trunk_groups: {
      creates: async () => [
        {
          attributes: { name: randomUUID(), capacity_limit: 4, ...reference('a group') },
          links: { voice_in_trunks: [link('voice_in_trunks', await trunk())] },
        },
      ],
      updates: async () => [
        {
          attributes: { name: randomUUID(), capacity_limit: 5, ...reference('the group') },
          links: { voice_in_trunks: [link('voice_in_trunks', await trunk())] },
        },
      ],
    },
    exports: {
      creates: async () => [
        {
          attributes: {
            export_type: 'cdr_in',
            filters: { from: '2026-06-01 00:00:00', to: '2026-06-02 00:00:00' },
            ...callback,
            ...reference('an export'),
          },
        },
      ],
      updates: async () => [{ attributes: reference('the export') }],
    },
    voice_out_trunks: {
      creates: async () => [outbound({}), await presenting(outbound({}))],
      updates: async () => [
        outbound({
          ...{ status: 'active', capacity_limit: 9, rtp_timeout: 61, threshold_amount: '8.5' },
          ...{ allow_any_did_as_cli: true, dst_prefixes: ['33'], allowed_rtp_ips: ['192.0.2.2/32'] },
          ...{
            callback_url: 'https://hooks.example.test/again',
            authentication_method: credentials({ allowed_sip_ips: ['203.0.113.11/32'] }),
          },
        }),
        await presenting(outbound({})),
      ],
    },
    identities: {
      creates: async () => [
        { attributes: { ...everyIdentity('Jane'), identity_type: 'business' }, links: countries() },
      ],
      updates: async () => [{ attributes: everyIdentity('Joan'), links: countries() }],
      existing: () => makeIdentity(client, company),
    },
    addresses: {
      creates: async () => [
        {
          attributes: everyAddress('1'),
          links: { identity: link('identities', identity), country: germany() },
        },
      ],
      updates: async () => [{ attributes: everyAddress('2') }],
    },
    proofs: {
      creates: async () => [
        {
          attributes: reference('a proof'),
          links: {
            proof_type: link('proof_types', await proofTypeId(server, 'Personal', 'Passport')),
            entity: link('identities', identity),
            files: [await file()],
          },
        },
      ],
      updates: async () => [{ attributes: reference('the proof') }],
    },
    permanent_supporting_documents: {
      creates: async () => {
        const templates = (await client.get('/supporting_document_templates?filter[permanent]=true')).resources;
        return [
          {
            attributes: reference('a document'),
            links: {
              template: link('supporting_document_templates', templates[0]?.id ?? ''),
              identity: link('identities', identity),
              files: [await file()],
            },
          },
        ];
      },
      updates: async () => [{ attributes: reference('the document') }],
    },
    address_verifications: {
      creates: async () => {
        // What Berlin does not ask for by itself.
        await env.pool.query(
          `update address_requirements set service_description_required = true,
             personal_onetime_document_id = (select id from supporting_document_templates where not permanent limit 1)`,
        );
        await makeProof(server, server, link('identities', identity), ['Personal', 'Passport']);
        await makeProof(server, server, link('addresses', address), ['Address', 'Utility Bill']);
        return [
          {
            attributes: { service_description: 'A hotline', ...callback, ...reference('a submission') },
            links: {
              address: link('addresses', address),
              dids: [await numberLink('Berlin')],
              onetime_files: [await file()],
            },
          },
        ];
      },
      updates: async () => [{ attributes: reference('the submission') }],
    },
    emergency_verifications: {
      creates: async () => {
        const home = link('addresses', await makeAddressIn(client, identity));
        const attributes = { ...callback, ...reference('a call for help') };
        const first = await client.post(
          '/emergency_verifications?include=emergency_calling_service',
          document('emergency_verifications', {}, { address: home, dids: [await numberLink('New York')] }),
        );
        const service = first.resource.relationships.emergency_calling_service?.data;
        if (!service || Array.isArray(service)) throw new Error(`no service: ${first.text}`);
        const approved = await postDecision({ server, key: server.key }, first.resource.id, { action: 'approve' });
        expect(approved.status).toBe(200);
        return [
          { attributes, links: { address: home, dids: [await numberLink('New York')] } },
          { attributes, links: { address: home, emergency_calling_service: service } },
        ];
      },
      updates: async () => [{ attributes: reference('the call for help') }],
    },
  };

  function sipShown(host: string) {
    return { attributes: expect.objectContaining({ host }) };
  }

  function outbound(more: object): Write {
    const attributes = {
      ...{ name: randomUUID(), status: 'blocked', ...reference('a trunk'), capacity_limit: 8 },
      ...{ allow_any_did_as_cli: true, on_cli_mismatch_action: 'send_original_cli', default_dst_action: 'reject_all' },
      ...{ dst_prefixes: ['49', '44'], media_encryption_mode: 'srtp_sdes', allowed_rtp_ips: ['192.0.2.1/32'] },
      ...{ force_symmetric_rtp: true, rtp_ping: true, rtp_timeout: 60, threshold_amount: '7.5' },
      ...{ callback_url: 'https://hooks.example.test/told', emergency_enable_all: true },
      authentication_method: credentials({ allowed_sip_ips: ['203.0.113.10/32'] }),
      ...more,
    };
    const { type, attributes: method } = attributes.authentication_method;
    return { attributes, shown: { authentication_method: { type, attributes: expect.objectContaining(method) } } };
  }

  /** The numbers of a trunk are named only if it may not present every number of the account. */
  async function presenting({ attributes, shown = {} }: Write): Promise<Write> {
    const did = await numberLink('London');
    await env.pool.query('update dids set emergency_enabled = true where id = $1', [did.id]);
    return {
      attributes: {
        ...attributes,
        ...{ allow_any_did_as_cli: false, emergency_enable_all: false, on_cli_mismatch_action: 'replace_cli' },
      },
      shown,
      links: { dids: [did], emergency_dids: [did], default_did: did },
    };
  }

  function countries() {
    return { country: germany(), birth_country: link('countries', idOf('countries', 'US')) };
  }
}

const everyIdentity = (name: string) => ({
  ...{ first_name: name, last_name: `${name} Doe`, phone_number: '442037691881', contact_email: 'jane@example.test' },
  ...{ company_name: `${name} & Sons`, company_reg_number: 'HRB 1', vat_id: 'DE136695976' },
  ...{ id_number: `ID ${name}`, personal_tax_id: `TAX ${name}`, birth_date: '1990-02-03' },
  ...{ description: `About ${name}`, ...reference(name) },
});

const everyAddress = (house: string) => ({
  ...{ address: `Unter den Linden ${house}`, city_name: `Berlin ${house}`, postal_code: `1011${house}` },
  ...{ description: `House ${house}`, ...reference(`house ${house}`) },
});

/** What a response never shows, and the test that says what becomes of it. */
export const writtenOnly: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  orders: { allow_back_ordering: 'src/interfaces/platform/orders/back-orders.long.test.ts' },
  proofs: { files: 'src/interfaces/platform/identities/documents.test.ts' },
  permanent_supporting_documents: { files: 'src/interfaces/platform/identities/documents.test.ts' },
  address_verifications: { onetime_files: 'src/interfaces/platform/regulation/decision.long.test.ts' },
};
