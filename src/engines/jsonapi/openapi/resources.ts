/** The component schemas of one resource type: as responses contain it, and as requests may send it. */
import type { Schema } from '../../openapi/types.ts';
import { mapValues, targetsOf } from '../declare.ts';
import { isWritable, mostLinks, type ObjectType } from '../facts.ts';
import type { MetaField, Relationship, Resource } from '../resource.ts';
import { arrayOf, orNull, type Schemas, schemaRef, strictObject, taggedUnion } from './schemas.ts';
import { describeRules, inputName, patchName, readSchema, writeSchema } from './values.ts';

const identifierName = (type: string): string => `${type}_identifier`;
const attributesName = (type: string): string => `${type}_attributes`;
const relationshipsName = (type: string): string => `${type}_relationships`;

/** Everything about one type, by component name. */
export function resourceSchemas(resource: Resource): Schemas {
  const { type } = resource;
  const attributes = readableAttributes(resource);
  const relationships = readableRelationships(resource);
  const hasAttributes = Object.keys(attributes).length > 0 && resource.stored;
  const hasRelationships = Object.keys(relationships).length > 0;
  const hasMeta = Object.keys(resource.meta).length > 0;
  const object = strictObject(
    {
      id: { type: 'string', format: 'uuid' },
      type: { type: 'string', const: type },
      ...(hasAttributes ? { attributes: schemaRef(attributesName(type)) } : {}),
      ...(hasRelationships ? { relationships: schemaRef(relationshipsName(type)) } : {}),
      ...(hasMeta ? { meta: strictObject(mapValues(resource.meta, metaSchema)) } : {}),
    },
    [
      'id',
      'type',
      ...(hasAttributes ? ['attributes'] : []),
      ...(hasRelationships ? ['relationships'] : []),
      ...(hasMeta && !resource.metaWhen ? ['meta'] : []),
    ],
  );
  return {
    [type]: resource.summary ? { ...object, description: resource.summary } : object,
    ...(hasAttributes ? { [attributesName(type)]: strictObject(mapValues(attributes, readSchema)) } : {}),
    ...(hasRelationships
      ? { [relationshipsName(type)]: strictObject(mapValues(relationships, relationshipSchema), always(relationships)) }
      : {}),
    ...objectSchemas(resource),
    ...identifierSchemas(resource),
    ...(resource.endpoints.create ? { [`${type}_create`]: requestSchema(resource, 'create') } : {}),
    ...(resource.endpoints.update ? { [`${type}_update`]: requestSchema(resource, 'update') } : {}),
  };
}

export const readableRelationships = (resource: Resource): Record<string, Relationship> =>
  Object.fromEntries(Object.entries(resource.relationships).filter(([, relationship]) => !relationship.writeOnly));

/** The names of those that every caller sees. */
const always = (relationships: Record<string, Relationship>): string[] =>
  Object.keys(relationships).filter((name) => relationships[name]?.feature === undefined);

/** The linkage of a relationship; `null` when nothing is related, or nothing that this caller may see. */
export function linkageSchema(relationship: Relationship): Schema {
  const identifier = taggedUnion(targetsOf(relationship), (target) => schemaRef(identifierName(target)));
  // Identifier components are not named after the value of `type`, so a union of them is told apart by `type` alone.
  const { discriminator: _, ...union } = identifier;
  return relationship.kind === 'many' ? arrayOf(union) : orNull(union);
}

const readableAttributes = (resource: Resource) =>
  Object.fromEntries(
    Object.entries(resource.attributes).filter(([, { column, facts }]) => column !== null && !facts.writeOnly),
  );

/** `data` is there only when `include` asked for it. */
const relationshipSchema = (relationship: Relationship): Schema => ({
  ...strictObject({ links: schemaRef('relationship_links'), data: linkageSchema(relationship) }, ['links']),
  ...(relationship.doc ? { description: relationship.doc } : {}),
});

function metaSchema({ type, doc }: MetaField): Schema {
  const [kind = 'string', none] = type.split('|');
  const json = kind === 'decimal' ? 'string' : kind;
  return { type: none ? [json, 'null'] : json, ...(doc ? { description: doc } : {}) };
}

function identifierSchemas(resource: Resource): Schemas {
  const types = [resource.type, ...Object.values(resource.relationships).flatMap((each) => [...targetsOf(each)])];
  return Object.fromEntries(
    types.map((type) => [
      identifierName(type),
      strictObject({ type: { type: 'string', const: type }, id: { type: 'string', format: 'uuid' } }),
    ]),
  );
}

function objectSchemas(resource: Resource): Schemas {
  const schemas: Schemas = {};
  for (const { facts, objectTypes = {}, until = {} } of Object.values(resource.attributes)) {
    for (const [name, type] of Object.entries(objectTypes)) {
      const readable = Object.fromEntries(Object.entries(type).filter(([, facts]) => !facts.writeOnly));
      schemas[name] = typedObject(
        name,
        strictObject(
          mapValues(readable, (facts) => readSchema({ facts })),
          Object.keys(readable).filter((member) => !readable[member]?.secret),
        ),
      );
      if (!isWritable(type) || Object.hasOwn(until, name)) continue;
      const alternatives = facts.atMostOneOf?.[name] ?? [];
      schemas[inputName(name)] = typedObject(name, { ...objectInput(type, 'create'), ...atMostOneOf(alternatives) });
      schemas[patchName(name)] = typedObject(name, objectInput(type, 'update'));
    }
  }
  return schemas;
}

const typedObject = (name: string, attributes: Schema): Schema =>
  strictObject({ type: { type: 'string', const: name }, attributes });

function objectInput(type: ObjectType, operation: 'create' | 'update'): Schema {
  const writable = Object.entries(type).filter(([, facts]) => facts.create || facts.update);
  return strictObject(
    Object.fromEntries(writable.map(([name, facts]) => [name, writeSchema({ facts }, operation)])),
    operation === 'create' ? writable.flatMap(([name, facts]) => (facts.required ? [name] : [])) : [],
  );
}

/** The request document of a create or update: only what may be written then. */
function requestSchema(resource: Resource, operation: 'create' | 'update'): Schema {
  const attributes = Object.entries(resource.attributes).filter(([, { facts }]) => facts[operation]);
  const relationships = Object.entries(resource.relationships).filter(([, relationship]) => relationship[operation]);
  const creating = operation === 'create';
  const required = (entries: [string, { required?: boolean }][]) =>
    creating ? entries.flatMap(([name, facts]) => (facts.required ? [name] : [])) : [];
  const neededAttributes = required(attributes.map(([name, { facts }]) => [name, facts]));
  const neededRelationships = required(relationships);
  const data = strictObject(
    {
      ...(creating ? {} : { id: { type: 'string', format: 'uuid' } }),
      type: { type: 'string', const: resource.type },
      ...(attributes.length > 0
        ? {
            attributes: strictObject(
              Object.fromEntries(attributes.map(([name, attribute]) => [name, writeSchema(attribute, operation)])),
              neededAttributes,
            ),
          }
        : {}),
      ...(relationships.length > 0
        ? {
            relationships: {
              ...strictObject(
                Object.fromEntries(relationships.map(([name, each]) => [name, writtenRelationship(each)])),
                neededRelationships,
              ),
              ...(creating ? groupRules(resource) : {}),
            },
          }
        : {}),
    },
    [
      ...(creating ? [] : ['id']),
      'type',
      ...(neededAttributes.length > 0 ? ['attributes'] : []),
      ...(neededRelationships.length > 0 ? ['relationships'] : []),
    ],
  );
  return strictObject({ data });
}

/** The groups of which a new record has exactly one, or at least one, member. */
function groupRules({ exactlyOneOf = [], atLeastOneOf = [], relationships }: Resource): Schema {
  const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' and ');
  const sentences = [
    ...(exactlyOneOf.length > 0 ? [`Exactly one of ${listed(exactlyOneOf)}.`] : []),
    ...(atLeastOneOf.length > 0 ? [`At least one of ${listed(atLeastOneOf)}.`] : []),
  ];
  const areLinks = (names: readonly string[]) =>
    names.length > 0 && names.every((name) => Object.hasOwn(relationships, name));
  return {
    ...(sentences.length > 0 ? { description: sentences.join(' ') } : {}),
    ...(areLinks(exactlyOneOf) ? { oneOf: exactlyOneOf.map(has) } : {}),
    ...(areLinks(atLeastOneOf) ? { anyOf: atLeastOneOf.map(has) } : {}),
  };
}

// Strict validators want what is required to be named beside it.
const has = (name: string): Schema => ({ properties: { [name]: {} }, required: [name] });

/** None of these members, or one. */
const atMostOneOf = (names: readonly string[]): Schema =>
  names.length === 0 ? {} : { oneOf: [...names.map(has), { not: { anyOf: names.map(has) } }] };

/** The body of a request that writes a relationship, by itself or as a member of its record. */
export function writtenRelationship(relationship: Relationship): Schema {
  const { doc = '', requiredIf, forbiddenIf } = relationship;
  const rules = describeRules({ ...(requiredIf ? { requiredIf } : {}), ...(forbiddenIf ? { forbiddenIf } : {}) });
  const description = `${doc} ${rules}`.trim();
  return { ...strictObject({ data: writtenLinkage(relationship) }), ...(description ? { description } : {}) };
}

function writtenLinkage(relationship: Relationship): Schema {
  if (relationship.nullOnly) return { type: 'null', description: 'Only null: detaches.' };
  const linkage = linkageSchema(relationship);
  const { min, max, unique } = relationship;
  if (relationship.kind === 'many') {
    return {
      ...linkage,
      ...(min !== undefined ? { minItems: min } : {}),
      maxItems: max ?? mostLinks,
      ...(unique ? { uniqueItems: true } : {}),
    };
  }
  return relationship.nullable ? linkage : (linkage.oneOf?.[0] ?? linkage);
}
