/** Regulation: requirements had other type names, some words were capitalised, reject reasons were one text. */
import type { ResourceObject } from '../../../engines/jsonapi/linkage.ts';
import { added, type Change, capitalised, isObject, mapAttributes, otherWords, renameMember } from './change.ts';

const areaLevels = { world_wide: 'WorldWide', country: 'Country', area: 'Area', city: 'City' };

/** A type had another name, also in its links and in errors about it. */
function renamedType(type: string, oldType: string): Change {
  const rename = (link: string) => link.replace(`/${type}/`, `/${oldType}/`);
  return {
    type,
    fieldsets: (query) =>
      query.map(([key, value]) => [key === `fields[${oldType}]` ? `fields[${type}]` : key, value] as const),
    link: rename,
    error: (problem) => ({
      ...problem,
      detail: problem.detail.replace(new RegExp(` (of|for) ${type}(\\.?)$`), ` $1 ${oldType}$2`),
    }),
    request: ({ query, body }) => ({
      query,
      body:
        isObject(body) && isObject(body.data) && body.data.type === oldType
          ? { ...body, data: { ...body.data, type } }
          : body,
    }),
    response: (resource): ResourceObject => ({
      ...resource,
      type: oldType,
      ...(resource.relationships
        ? {
            relationships: Object.fromEntries(
              Object.entries(resource.relationships).map(([name, relationship]) => {
                const { self, related } = relationship.links;
                return [name, { ...relationship, links: { self: rename(self), related: rename(related) } }];
              }),
            ),
          }
        : {}),
    }),
  };
}

/** The validation refers to its requirement by the old name and type. */
const validatedRequirement: Change = {
  type: 'address_requirement_validations',
  request: ({ query, body }) => {
    if (!isObject(body) || !isObject(body.data) || !isObject(body.data.relationships)) return { query, body };
    const relationships = renameMember(body.data.relationships, 'requirement', 'address_requirement');
    const link = relationships.address_requirement;
    if (isObject(link) && isObject(link.data) && link.data.type === 'requirements') {
      relationships.address_requirement = { ...link, data: { ...link.data, type: 'address_requirements' } };
    }
    return { query, body: { ...body, data: { ...body.data, relationships } } };
  },
  error: (problem) =>
    problem.source?.pointer === '/data/relationships/address_requirement'
      ? {
          ...problem,
          detail: problem.detail.replace(/^address_requirement /, 'requirement '),
          source: { pointer: '/data/relationships/requirement' },
        }
      : problem,
};

/** Reject reasons were one text instead of a list. */
const joinedReasons: Change = {
  type: 'address_verifications',
  response: (resource) =>
    mapAttributes(resource, (attributes) =>
      Array.isArray(attributes.reject_reasons)
        ? { ...attributes, reject_reasons: attributes.reject_reasons.join(', ') }
        : attributes,
    ),
};

/** Changes match types by their newest name, so the position of a renamed type in this list does not matter. */
export const regulation: readonly Change[] = [
  renamedType('address_requirements', 'requirements'),
  renamedType('address_requirement_validations', 'requirement_validations'),
  validatedRequirement,
  otherWords('identities', 'identity_type', capitalised(['personal', 'business'])),
  otherWords('address_requirements', 'identity_type', capitalised(['any', 'personal', 'business'])),
  ...['personal_area_level', 'business_area_level', 'address_area_level'].map((name) =>
    otherWords('address_requirements', name, areaLevels),
  ),
  otherWords('address_verifications', 'status', capitalised(['pending', 'approved', 'rejected'])),
  joinedReasons,
  added('address_verifications', { attributes: ['reject_comment'] }),
];
