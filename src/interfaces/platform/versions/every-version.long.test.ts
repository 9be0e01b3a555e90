/**
 * The list of what each version has, held against all five: what a version has is answered, and what it has not is
 * refused as a thing that never was.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../../test/support/server.ts';
import { loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { knownVersions } from './versions.ts';

const server = useOpened(() => startTestServer());
beforeAll(() => loadSmallCatalogue(server.env));

/** A thing of the interface: a path, or a word that a type has. */
type Kind = 'path' | 'type' | 'field' | 'filter' | 'include' | 'sort';
interface Listed {
  kind: Kind;
  /** The path of the list that is asked. */
  path: string;
  name: string;
  from: string;
  /** The first version that has it no more. */
  until: string;
}

const always = { from: '0', until: '9' };
const list = (kind: Kind, path: string, names: string, { from = '0', until = '9' }): Listed[] =>
  names.split(' ').map((name) => ({ kind, path, name, from, until }));
const paths = (names: string, span: Partial<typeof always>): Listed[] => [
  ...list('path', '', names, span),
  ...list('type', '/countries', names, span),
];
/** An attribute, a relationship, or both words for what was renamed. */
const words = (kind: Kind, type: string, names: string, span: Partial<typeof always>) =>
  list(kind, `/${type}`, names, span);

const [v2021a, v2021b, v2022, v2026] = ['2021-04-19', '2021-12-15', '2022-05-10', '2026-04-16'];

const contract: readonly Listed[] = [
  ...paths('countries regions cities pops did_group_types did_groups available_dids did_reservations dids', always),
  ...paths('orders capacity_pools shared_capacity_groups', always),
  ...paths('areas identities addresses proof_types supporting_document_templates', { from: v2021a }),
  ...paths('encrypted_files public_keys address_verifications', { from: v2021a }),
  ...list('type', '/countries', 'proofs permanent_supporting_documents', { from: v2021a }),
  ...list('path', '', 'proofs permanent_supporting_documents', { from: v2026 }),
  ...paths('requirements', { from: v2021a, until: v2026 }),
  ...paths('address_requirements did_history emergency_requirements', { from: v2026 }),
  ...paths('emergency_calling_services emergency_verifications', { from: v2026 }),
  ...paths('nanpa_prefixes', { from: v2022 }),
  ...paths('trunks trunk_groups cdr_exports', { until: v2021b }),
  ...paths('voice_in_trunks voice_in_trunk_groups voice_out_trunks exports', { from: v2021b }),

  ...words('field', 'identities', 'contact_email birth_country', { from: v2026 }),
  ...words('include', 'identities', 'birth_country', { from: v2026 }),
  ...words('sort', 'identities', 'contact_email', { from: v2026 }),
  ...words('field', 'did_groups', 'service_restrictions address_requirement', { from: v2026 }),
  ...words('sort', 'did_groups', 'service_restrictions', { from: v2026 }),
  ...words('field', 'did_groups', 'requirement', { from: v2021a, until: v2026 }),
  ...words('include', 'did_groups', 'requirement requirement.country', { from: v2021a, until: v2026 }),
  ...words('include', 'available_dids', 'did_group.requirement', { from: v2021a, until: v2026 }),
  ...words('field', 'did_groups', 'local_prefix', { until: v2022 }),
  ...words('filter', 'did_groups', 'local_prefix', { until: v2022 }),
  ...words('filter', 'did_groups', 'nanpa_prefix.id nanpa_prefix.npanxx', { from: v2022 }),
  ...words('filter', 'did_groups', 'features is_metered region.id area_name', always),
  ...words('filter', 'available_dids', 'nanpa_prefix.id', { from: v2022 }),
  ...words('include', 'available_dids', 'nanpa_prefix', { from: v2022 }),
  ...words('field', 'available_dids', 'nanpa_prefix', { from: v2022 }),
  ...words('filter', 'available_dids', 'did_group.features', always),
  ...words('field', 'did_reservations', 'expires_at', { from: v2026 }),
  ...words('field', 'did_reservations', 'expire_at', { until: v2026 }),
  ...words('field', 'orders', 'external_reference_id', { from: v2026 }),
  ...words('filter', 'orders', 'external_reference_id', { from: v2026 }),
  ...words('sort', 'orders', 'external_reference_id', { from: v2026 }),
  ...words('field', 'orders', 'callback_url callback_method', { from: v2021a }),

  ...words('field', 'dids', 'emergency_enabled identity', { from: v2026 }),
  ...words('filter', 'dids', 'emergency_enabled emergency_calling_service.id', { from: v2026 }),
  ...words('include', 'dids', 'emergency_calling_service emergency_verification identity', { from: v2026 }),
  ...words('field', 'dids', 'address_verification', { from: v2021a }),
  ...words('filter', 'dids', 'address_verification.id', { from: v2021a }),
  ...words('field', 'dids', 'pending_removal', { until: v2021a }),
  ...words('filter', 'dids', 'pending_removal trunk.id trunk_group.id', always),
  ...words('filter', 'dids', 'voice_in_trunk.id voice_in_trunk_group.id did_group.features', { from: v2021b }),
  ...words('field', 'dids', 'voice_in_trunk voice_in_trunk_group', { from: v2021b }),
  ...words('field', 'dids', 'trunk trunk_group', { until: v2021b }),
  ...words('include', 'dids', 'trunk trunk.trunk_group trunk_group.trunks', { until: v2021b }),
  ...words('include', 'dids', 'voice_in_trunk.voice_in_trunk_group', { from: v2021b }),
  ...words('include', 'dids', 'did_group.requirement', { from: v2021a, until: v2026 }),
  ...words('include', 'dids', 'did_group.address_requirement', { from: v2026 }),
];

/** How the interface refuses what it does not know. */
const refusals: Readonly<Record<Kind, readonly string[]>> = {
  // A path that takes other methods is 405.
  path: ['404', '405'],
  type: ['101'],
  field: ['104'],
  filter: ['102'],
  include: ['112'],
  sort: ['114'],
};

function question({ kind, path, name }: Listed): string {
  if (kind === 'path') return `/${name}`;
  if (kind === 'type') return `${path}?fields[${name}]=id`;
  if (kind === 'field') return `${path}?fields[${path.slice(1)}]=${name}`;
  return `${path}?${kind === 'filter' ? `filter[${name}]` : kind}=${kind === 'filter' ? 'true' : name}`;
}

describe.each(knownVersions)('%s', (version) => {
  test('has what its list names, and nothing else of all lists', async () => {
    const client = server.client.with({ headers: { 'x-service-api-version': version } });
    const wrong: unknown[] = [];
    for (const listed of contract) {
      const parent = contract.find(({ kind, name }) => kind === 'path' && listed.path === `/${name}`);
      if (parent && !isIn(parent, version)) continue;
      const answer = await client.get(question(listed));
      const isRefused = answer.status >= 400 && refusals[listed.kind].includes(answer.errors[0]?.code ?? '');
      if (isRefused === isIn(listed, version)) wrong.push([question(listed), answer.status, answer.text.slice(0, 300)]);
      if (answer.meta.api_version !== version) wrong.push([question(listed), answer.meta]);
    }
    expect(wrong).toEqual([]);
  });
});

const isIn = ({ from, until }: Listed, version: string): boolean => version >= from && version < until;
