/**
 * Number groups: fewer features, `sms_out` instead of `p2p` and `a2p`, and `requirement` instead of
 * `address_requirement`.
 */
import type { VersionedRequest } from '../../../engines/jsonapi/engine.ts';
import type { ResourceObject } from '../../../engines/jsonapi/linkage.ts';
import { type Change, mapFields } from './change.ts';

/** The features that have the same name in both versions. The old `sms_out` is now `p2p` and `a2p`. */
const featuresOfOldVersions = new Set(['voice_in', 'voice_out', 't38', 'sms_in']);

function oldFeatures(features: readonly string[]): string[] {
  const kept = features.filter((feature) => featuresOfOldVersions.has(feature));
  return features.includes('p2p') || features.includes('a2p') ? [...kept, 'sms_out'] : kept;
}

/** Renames the relationship `requirement` in a path to `address_requirement`. */
const renamed = (path: string): string => path.replace(/(^|\.)requirement(?=\.|$)/g, '$1address_requirement');

const ofGroups: Change = {
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
  /** The error repeats the list of features as the client sent it. */
  error: (problem) =>
    problem.code === '107' && /features\.$/.test(problem.detail)
      ? { ...problem, detail: problem.detail.replace(/\bp2p\b/g, 'sms_out') }
      : problem,
};

/** Other types name a group's features and requirement in filters and include paths. */
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
      const oldLinks = { self: oldLink(links.self), related: oldLink(links.related) };
      if (data === undefined || data === null || Array.isArray(data)) {
        return ['requirement', { links: oldLinks, ...(data === undefined ? {} : { data }) }];
      }
      return ['requirement', { links: oldLinks, data: { ...data, type: 'requirements' } }];
    }),
  );
}

const oldLink = (link: string): string => link.replace(/address_requirement$/, 'requirement');

export const didGroups: readonly Change[] = [ofGroups, ...throughGroups];
