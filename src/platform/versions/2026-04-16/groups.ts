import type { ResourceObject } from '../../../jsonapi/document-shape.ts';
import type { VersionedRequest } from '../../../jsonapi/engine.ts';
import type { Change } from '../change.ts';
import { mapFields } from '../fieldsets.ts';

/** Features had `sms_out` then; `p2p` and `a2p` are what became of it. The other new ones did not exist. */
const OLD_FEATURES = new Set(['voice_in', 'voice_out', 't38', 'sms_in']);

function oldFeatures(features: readonly string[]): string[] {
  const kept = features.filter((feature) => OLD_FEATURES.has(feature));
  return features.includes('p2p') || features.includes('a2p') ? [...kept, 'sms_out'] : kept;
}

/** The relationship `requirement` is called `address_requirement` now. */
const renamed = (path: string): string => path.replace(/(^|\.)requirement(?=\.|$)/g, '$1address_requirement');

const didGroups: Change = {
  type: 'did_groups',
  fieldsets: (query) => mapFields(query, 'did_groups', (names) => names.split(',').map(renamed).join(',')),
  request: upgradeQuery,
  response: (resource) => ({
    ...resource,
    ...(resource.attributes && Array.isArray(resource.attributes.features)
      ? { attributes: { ...resource.attributes, features: oldFeatures(resource.attributes.features) } }
      : {}),
    ...(resource.relationships ? { relationships: oldRelationships(resource.relationships) } : {}),
  }),
  /** A refused list of features is repeated as it was sent. */
  error: (problem) =>
    problem.code === '107' && /features\.$/.test(problem.detail)
      ? { ...problem, detail: problem.detail.replace(/\bp2p\b/g, 'sms_out') }
      : problem,
};

/** Other types reach a group's features and requirement through filters and include paths. */
const throughGroups: Change[] = ['available_dids', 'nanpa_prefixes', 'did_reservations', 'dids'].map((type) => ({
  type,
  request: upgradeQuery,
}));

function upgradeQuery(request: VersionedRequest): VersionedRequest {
  const query = request.query.map(([key, value]) => {
    if (key === 'include') return [key, value.split(',').map(renamed).join(',')] as const;
    if (/^filter\[(did_group\.)?features\]$/.test(key)) return [key, value.replace(/\bsms_out\b/g, 'p2p')] as const;
    return [key, value] as const;
  });
  return { ...request, query };
}

function oldRelationships(relationships: NonNullable<ResourceObject['relationships']>) {
  return Object.fromEntries(
    Object.entries(relationships).map(([name, { links, data }]) => {
      if (name !== 'address_requirement') return [name, { links, ...(data === undefined ? {} : { data }) }];
      const then = { self: oldLink(links.self), related: oldLink(links.related) };
      if (data === undefined || data === null || Array.isArray(data)) {
        return ['requirement', { links: then, ...(data === undefined ? {} : { data }) }];
      }
      return ['requirement', { links: then, data: { ...data, type: 'requirements' } }];
    }),
  );
}

const oldLink = (link: string): string => link.replace(/address_requirement$/, 'requirement');

export const groups: readonly Change[] = [didGroups, ...throughGroups];
