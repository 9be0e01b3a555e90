/** Null for a member that cannot be null is refused where it stands, for every type and member of every interface. */
import { describe, expect, test } from 'vitest';
import { ApiError, type ErrorObject } from '../../engines/jsonapi/errors.ts';
import { isWritable, type ObjectType } from '../../engines/jsonapi/facts.ts';
import { parseBody } from '../../engines/jsonapi/parse-body.ts';
import type { Resource } from '../../engines/jsonapi/resource.ts';
import { registry as operatorRegistry } from '../operator/resources.ts';
import { panelRegistry } from '../panel/resources.ts';
import { registry } from '../platform/v3/registries.ts';
import { knownVersions } from '../platform/versions/versions.ts';

const id = '00000000-0000-4000-8000-000000000000';
const operations = ['create', 'update'] as const;
type Operation = (typeof operations)[number];

/** Where a null is sent, and whether it may be: the cases of one type. */
interface Sent {
  member: string;
  attributes?: object;
  relationships?: object;
  pointer: string;
  nullable: boolean;
}

/** Contract: null for the status of an outbound trunk is its default, and what is no date is null. */
const readAsAnotherValue = ['voice_out_trunks status'];

function sentTo(resource: Resource, operation: Operation): Sent[] {
  const attributes = Object.entries(resource.attributes).flatMap(([name, { facts, objectTypes = {} }]): Sent[] => {
    if (!facts[operation]) return [];
    const nullable = facts.nullable || readAsAnotherValue.includes(`${resource.type} ${name}`);
    const pointer = `/data/attributes/${name}`;
    const isList = facts.type === 'array';
    const nested = Object.entries(objectTypes).filter(([, type]) => isWritable(type));
    return [
      { member: name, attributes: { [name]: null }, pointer, nullable },
      ...nested.flatMap(([type, members]) =>
        membersOf(members, operation).map(([member, isNullable]) => {
          const object = { type, attributes: { ...missingIn(members), [member]: null } };
          return {
            member: `${name} ${type} ${member}`,
            attributes: { [name]: isList ? [object] : object },
            pointer: isList ? `${pointer}/0/${member}` : `${pointer}/attributes/${member}`,
            nullable: isNullable,
          };
        }),
      ),
    ];
  });
  const relationships = Object.entries(resource.relationships).flatMap(([name, relationship]): Sent[] =>
    relationship[operation] && relationship.kind === 'one'
      ? [
          {
            member: name,
            relationships: { [name]: { data: null } },
            pointer: `/data/relationships/${name}`,
            nullable: relationship.nullable,
          },
        ]
      : [],
  );
  return [...attributes, ...relationships];
}

const membersOf = (type: ObjectType, operation: Operation): [string, boolean][] =>
  Object.entries(type)
    .flatMap(([name, facts]) => (facts[operation] ? [[name, facts.nullable] as const] : []))
    .map(([name, nullable]) => [name, nullable]);

/** Without its members an item is refused before its values are looked at. */
const missingIn = (type: ObjectType): object =>
  Object.fromEntries(Object.entries(type).flatMap(([name, { required }]) => (required ? [[name, id]] : [])));

/** So is a new record without its objects. */
const missingObjects = ({ attributes }: Resource): object =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, { facts, objectTypes = {} }]) => {
      const [first] = Object.entries(objectTypes);
      if (!facts.required || first === undefined) return [];
      const object = { type: first[0], attributes: missingIn(first[1]) };
      return [[name, facts.type === 'array' ? [object] : object]];
    }),
  );

/** An older version accepts every type of object. */
const apiVersion = [...knownVersions].sort()[0] ?? '';

/** What the parser says about the member; other members of a new record are missing and reported too. */
function problemsOf(resource: Resource, operation: Operation, { attributes, relationships, pointer }: Sent) {
  const data = {
    type: resource.type,
    ...(operation === 'update' ? { id } : {}),
    attributes: { ...(operation === 'create' ? missingObjects(resource) : {}), ...attributes },
    ...(relationships ? { relationships } : {}),
  };
  try {
    parseBody({ apiVersion }, resource, { data }, operation === 'update' ? id : null);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.errors.filter(({ source }) => source?.pointer === pointer || pointsAt(resource, pointer, source));
  }
}

/** Some links that are not valid are reported at another member, and some objects as a whole. */
const pointsAt = (resource: Resource, pointer: string, source: ErrorObject['source']): boolean => {
  const [, , kind, name = ''] = pointer.split('/');
  const at = kind === 'relationships' ? resource.relationships[name]?.problem?.('')?.source?.pointer : undefined;
  const whole = resource.attributes[name]?.invalidWithout ? `/data/attributes/${name}` : undefined;
  return source !== undefined && [at, whole].includes(source.pointer);
};

const interfaces = { '/v3': registry, '/operator/v1': operatorRegistry, '/panel/v1': panelRegistry };
const types = Object.entries(interfaces).flatMap(([prefix, all]) =>
  all.all().map((resource): [string, Resource] => [`${prefix}/${resource.type}`, resource]),
);

test('the walk reaches the members that the contract names', () => {
  const members = types.flatMap(([name, resource]) =>
    operations.flatMap((operation) => sentTo(resource, operation).map(({ member }) => `${name} ${member}`)),
  );
  expect(members).toContain('/v3/orders items did_order_items available_did_id');
  expect(members).toContain('/v3/shared_capacity_groups metered_channels_count');
  expect(members).toContain('/v3/voice_in_trunks configuration sip_configurations rtp_timeout');
  expect(members.length).toBeGreaterThan(300);
});

describe.each(types)('%s', (_name, resource) => {
  test.each(operations)('%s', (operation) => {
    for (const sent of sentTo(resource, operation)) {
      const found = problemsOf(resource, operation, sent).map(({ status, code }) => [status, code]);
      expect(found, sent.member).toEqual(sent.nullable ? [] : [['422', '100']]);
    }
  });
});
