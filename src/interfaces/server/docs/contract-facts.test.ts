/** Facts of the contract that generated clients and validators read in `/openapi.json`. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../engines/openapi/types.ts';
import { openApiDocument } from './document.ts';

const copy = new URL('../../../../test/contract/types.json', import.meta.url);
type Members = Record<string, { nullable: boolean }>;
const contract: Record<string, { attributes?: Members; response?: Members }> = JSON.parse(
  readFileSync(copy, 'utf8'),
).objects;

const document = openApiDocument({ name: 'sandbox' }, 'http://localhost');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'document');

const schemaOf = (name: string): Schema => document.components.schemas?.[name] ?? {};
const accepts = (name: string, value: object): boolean =>
  ajv.validate({ $ref: `document#/components/schemas/${name}` }, value) as boolean;
const did = (id: string) => ({ type: 'dids', id });

describe('nested objects of responses', () => {
  const shown = ['sip_configurations', 'pstn_configurations', 'ip_only', 'twilio', 'credentials_and_ip'];
  const items = ['did_order_items', 'capacity_order_items', 'emergency_order_items', 'generic_order_items'];

  test.each([...shown, ...items])(
    '%s: every member is required, but secrets that keys with scopes do not see',
    (name) => {
      const members = Object.keys(contract[name]?.attributes ?? contract[name]?.response ?? {});
      const { properties = {}, required = [] } = schemaOf(name).properties?.attributes ?? {};
      expect(Object.keys(properties).sort()).toEqual(members.sort());
      const secrets = Object.keys(properties).filter((member) =>
        properties[member]?.description?.includes('see secrets'),
      );
      expect([...required, ...secrets].sort()).toEqual(members);
      expect(secrets).toEqual(members.filter((member) => /password$/.test(member)));
    },
  );

  test('what an item is about may be null', () => {
    const typeOf = (item: string, member: string) => schemaOf(item).properties?.attributes?.properties?.[member]?.type;
    expect(typeOf('capacity_order_items', 'capacity_pool_id')).toEqual(['string', 'null']);
    expect(typeOf('emergency_order_items', 'emergency_calling_service_id')).toEqual(['string', 'null']);
    expect(typeOf('did_order_items', 'did_group_id')).toEqual(['string', 'null']);
    expect(typeOf('capacity_order_items_input', 'capacity_pool_id')).toBe('string');
  });
});

describe('requests', () => {
  const order = (attributes: object) => ({
    data: {
      type: 'orders',
      attributes: { items: [{ type: 'did_order_items', attributes: { sku_id: 'x', ...attributes } }] },
    },
  });

  test.each<[object, boolean]>([
    [{}, true],
    [{ qty: 2 }, true],
    [{ available_did_id: 'x' }, true],
    [{ did_reservation_id: 'x', nanpa_prefix_id: 'x' }, true],
    [{ qty: 1, available_did_id: 'x' }, false],
    [{ did_reservation_id: 'x', available_did_id: 'x' }, false],
    [{ qty: 1001 }, false],
  ])('an order of %j: %s', (attributes, valid) => {
    expect(accepts('orders_create', order(attributes))).toBe(valid);
  });

  const address = { data: { type: 'addresses', id: 'x' } };
  const dids = { data: [did('x')] };
  const service = { data: { type: 'emergency_calling_services', id: 'x' } };
  test.each<[object, boolean]>([
    [{ dids }, true],
    [{ emergency_calling_service: service }, true],
    [{ dids, emergency_calling_service: service }, false],
    [{}, false],
    [{ dids: { data: [did('x'), did('x')] } }, false],
  ])('an emergency verification with %j: %s', (links, valid) => {
    const data = { type: 'emergency_verifications', relationships: { address, ...links } };
    expect(accepts('emergency_verifications_create', { data })).toBe(valid);
  });

  test.each([
    ['shared_capacity_groups_update', 'dids', true],
    ['voice_out_trunks_update', 'dids', true],
    ['voice_out_trunks_update', 'emergency_dids', true],
    ['proofs_create', 'files', true],
    ['permanent_supporting_documents_create', 'files', true],
    ['address_verifications_create', 'dids', true],
    ['voice_in_trunk_groups_update', 'voice_in_trunks', undefined],
  ])('%s: %s', (name, relationship, unique) => {
    const data = schemaOf(name).properties?.data?.properties?.relationships?.properties?.[relationship];
    expect(data?.properties?.data?.uniqueItems).toBe(unique);
  });

  test('whole numbers and pages have a maximum', () => {
    const channels = schemaOf('capacity_pools_update').properties?.data?.properties?.attributes?.properties;
    expect(channels?.total_channels_count?.maximum).toBe(2_147_483_647);
    const { page_size, page_size_1000 } = document.components.parameters ?? {};
    expect([page_size?.schema.maximum, page_size_1000?.schema.maximum]).toEqual([100, 1000]);
    for (const path of ['/v3/cities', '/v3/areas', '/v3/voice_out_trunks']) {
      expect(JSON.stringify(document.paths[path]?.get?.parameters)).toContain('/page_size_1000"');
    }
  });

  test('a window of an export may have any form of ISO 8601', () => {
    const filters = schemaOf('exports_create').properties?.data?.properties?.attributes?.properties?.filters;
    expect(filters?.properties?.from?.pattern).toBeUndefined();
  });
});

test('a code has 4 to 8 digits', () => {
  const { sms, callout } = schemaOf('verification').properties ?? {};
  for (const block of [sms, callout]) {
    expect(block?.properties?.code_length).toMatchObject({ type: 'integer', minimum: 4, maximum: 8 });
  }
});
