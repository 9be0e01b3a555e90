/** Parses the document of a create or update and checks it against the declaration. */
import { canonicalId, targetsOf } from './declare.ts';
import { type ErrorObject, errors, invalid, messages, throwAny } from './errors.ts';
import { type Attribute, mostLinks } from './facts.ts';
import { hasFeature } from './features.ts';
import type { Linkage } from './linkage.ts';
import { parseObject, parseObjectList } from './parse-object.ts';
import { parseValue } from './parse-value.ts';
import { type EngineContext, linkProblem, type Relationship, type Resource, type WriteInput } from './resource.ts';
import type { Row } from './sql.ts';

/** Top-level members of JSON:API; all but `data` are ignored. */
const toleratedMembers = new Set(['data', 'jsonapi', 'meta', 'links', 'included']);

/**
 * Parses a create (`id` null) or update document. Members that are not accepted are reported first (400, all of them),
 * then values that are not valid (422, all of them).
 */
export function parseBody(
  context: Pick<EngineContext, 'features' | 'apiVersion'>,
  resource: Resource,
  body: unknown,
  id: string | null,
): WriteInput {
  const data = readData(body);
  const problems = unknownMembers(body as Row);
  checkIdentity(resource, data, id, problems);
  const relationships = asObject(data.relationships, problems);
  const operation = id === null ? 'create' : 'update';
  const attributes = withoutEmptyMaps(asObject(data.attributes, problems), resource.attributes, operation);
  for (const member of Object.keys(data)) {
    const known = ['type', 'id', 'attributes', 'relationships'].includes(member);
    if (!known || (member === 'id' && id === null)) problems.push(errors.paramNotAllowed(member));
  }
  refuseUnwritable(context, attributes, resource.attributes, operation, problems);
  refuseUnwritable(context, relationships, resource.relationships, operation, problems);
  const links = parseRelationships(relationships, resource, problems);
  const nested = parseNested(context, attributes, resource, id === null, problems);
  throwAny(problems);

  const values = parseAttributes(context, attributes, resource, id === null, problems);
  requireRelationships(links, resource, id === null, problems);
  throwAny([...problems, ...nested.problems]);
  return { attributes: { ...values, ...nested.values }, relationships: links };
}

/** Top-level members that no document has. */
export const unknownMembers = (body: Row): ErrorObject[] =>
  Object.keys(body)
    .filter((member) => !toleratedMembers.has(member))
    .map(errors.paramNotAllowed);

function readData(body: unknown): Row {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('data' in body)) {
    throwAny([errors.missingParameter('data')]);
  }
  const { data } = body as Row;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throwAny([errors.invalidDataFormat()]);
  return data as Row;
}

function checkIdentity(resource: { type: string }, data: Row, id: string | null, problems: ErrorObject[]): void {
  if (id !== null && (data.id === undefined || data.id === null)) problems.push(errors.keyRequired());
  else if (id !== null && canonicalId(shown(data.id)) !== id) problems.push(errors.keyNotInUrl(shown(data.id)));
  if (data.type === undefined || data.type === null || data.type === '') problems.push(errors.missingParameter('type'));
  else if (data.type !== resource.type) problems.push(errors.invalidResource(shown(data.type)));
}

/** Of an object as it came: it may bring a `toString` of its own, which is no function. */
const shown = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Accepts an empty list for an empty object: some client libraries send it. */
function asObject(value: unknown, problems: ErrorObject[]): Row {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Row;
  problems.push(errors.invalidDataFormat());
  return {};
}

/**
 * The same libraries send all objects with an update, those that they know nothing about as empty lists: drop these.
 */
function withoutEmptyMaps(
  sent: Row,
  declared: Readonly<Record<string, Attribute>>,
  operation: 'create' | 'update',
): Row {
  if (operation === 'create') return sent;
  const isMap = (name: string) => Object.hasOwn(declared, name) && declared[name]?.facts.type === 'object';
  const says = ([name, value]: [string, unknown]) => !(Array.isArray(value) && value.length === 0 && isMap(name));
  return Object.fromEntries(Object.entries(sent).filter(says));
}

function refuseUnwritable(
  context: Pick<EngineContext, 'features'>,
  sent: Row,
  declared: Readonly<Record<string, Attribute | Relationship>>,
  operation: 'create' | 'update',
  problems: ErrorObject[],
): void {
  for (const name of Object.keys(sent)) {
    const member = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const rights = member && 'facts' in member ? member.facts : member;
    const feature = member && 'feature' in member ? member.feature : undefined;
    if (!rights?.[operation] || !hasFeature(context, feature)) problems.push(errors.paramNotAllowed(name));
  }
}

function parseAttributes(
  context: Pick<EngineContext, 'features'>,
  sent: Row,
  resource: Resource,
  creating: boolean,
  problems: ErrorObject[],
): Row {
  const values: Row = {};
  for (const [name, { facts, objectTypes, accept }] of Object.entries(resource.attributes)) {
    if (objectTypes) continue;
    if (!Object.hasOwn(sent, name)) {
      if (creating && facts.required) problems.push(invalid.attribute(name, messages.blank));
      continue;
    }
    const value = accept ? accept(sent[name]) : sent[name];
    const parsed = parseValue(facts, value);
    if ('value' in parsed && hasFeature(context, facts.features?.[String(parsed.value)])) values[name] = parsed.value;
    else {
      values[name] = undefined;
      problems.push(invalid.attribute(name, 'value' in parsed ? messages.invalid : parsed.message));
    }
  }
  if (creating) problems.push(...missingPartners(values, resource));
  return values;
}

/**
 * `togetherWith`: a new record has both attributes or none. One that was sent and refused is not reported as missing.
 */
function missingPartners(values: Row, { attributes }: Resource): ErrorObject[] {
  return Object.entries(attributes).flatMap(([name, { facts }]) => {
    const partner = facts.togetherWith;
    if (partner === undefined || (values[name] ?? null) === null) return [];
    const isMissing = !Object.hasOwn(values, partner) || values[partner] === null;
    return isMissing ? [invalid.attribute(partner, messages.blank)] : [];
  });
}

/** Parses nested typed objects; unknown members (400) are kept apart from invalid values (422). */
function parseNested(
  context: Pick<EngineContext, 'apiVersion'>,
  sent: Row,
  resource: Resource,
  creating: boolean,
  problems: ErrorObject[],
) {
  const values: Row = {};
  const found: ErrorObject[] = [];
  for (const [name, attribute] of Object.entries(resource.attributes)) {
    const { facts, objectTypes, until = {}, invalidWithout = [] } = attribute;
    if (!objectTypes) continue;
    if (!Object.hasOwn(sent, name)) {
      if (creating && facts.required) problems.push(errors.missingParameter(name));
      continue;
    }
    const parse = facts.type === 'array' ? parseObjectList : parseObject;
    const isAccepted = (end: string | undefined) => end === undefined || context.apiVersion < end;
    const accepted = Object.fromEntries(Object.entries(objectTypes).filter(([type]) => isAccepted(until[type])));
    const parsed = parse(name, facts, accepted, sent[name], creating);
    problems.push(...parsed.refused);
    found.push(
      ...parsed.invalid.map((problem) =>
        invalidWithout.some((member) => problem.detail === `${member} - ${messages.blank}`)
          ? invalid.attribute(name, messages.invalid)
          : problem,
      ),
    );
    values[name] = parsed.value;
  }
  return { values, problems: found };
}

function parseRelationships(
  sent: Row,
  resource: Resource,
  problems: ErrorObject[],
): Record<string, Linkage | Linkage[] | null> {
  const links: Record<string, Linkage | Linkage[] | null> = {};
  for (const [name, value] of Object.entries(sent)) {
    const relationship = Object.hasOwn(resource.relationships, name) ? resource.relationships[name] : undefined;
    if (!relationship) continue;
    if (typeof value !== 'object' || value === null || !('data' in value)) {
      problems.push(errors.invalidLinkage());
      continue;
    }
    const { data } = value;
    if (relationship.kind === 'many') {
      if (Array.isArray(data)) links[name] = data.flatMap((link) => readLinkage(relationship, link, problems));
      else problems.push(errors.invalidLinkage());
    } else links[name] = data === null ? null : (readLinkage(relationship, data, problems)[0] ?? null);
  }
  return links;
}

function readLinkage(relationship: Relationship, data: unknown, problems: ErrorObject[]): Linkage[] {
  if (typeof data !== 'object' || data === null || !('type' in data) || !('id' in data)) {
    problems.push(errors.invalidLinkage());
    return [];
  }
  const { type, id } = data;
  if (typeof type !== 'string' || (typeof id !== 'string' && typeof id !== 'number'))
    problems.push(errors.invalidLinkage());
  else if (!targetsOf(relationship).includes(type)) problems.push(errors.typeMismatch(type));
  else return [{ type, id: canonicalId(String(id)) }];
  return [];
}

function requireRelationships(
  links: Record<string, Linkage | Linkage[] | null>,
  resource: Resource,
  creating: boolean,
  problems: ErrorObject[],
): void {
  const grouped = new Set([...(resource.exactlyOneOf ?? []), ...(resource.atLeastOneOf ?? [])]);
  for (const [name, relationship] of Object.entries(resource.relationships)) {
    const link = links[name];
    const missing = link === undefined ? creating && relationship.required : link === null && !relationship.nullable;
    const message = missing
      ? messages.blank
      : Array.isArray(link)
        ? membersProblem(relationship, link, grouped.has(name))
        : relationship.nullOnly && link
          ? messages.invalid
          : null;
    if (message) problems.push(linkProblem(relationship, name, message));
  }
}

/** The rules of a group say whether one of its members may be empty. */
function membersProblem(relationship: Relationship, links: readonly Linkage[], isGrouped: boolean): string | null {
  const { required, min = 0, max = Number.POSITIVE_INFINITY, unique } = relationship;
  const different = new Set(links.map(({ id }) => id)).size;
  if (links.length === 0) return required || (min > 0 && !isGrouped) ? messages.blank : null;
  if (links.length > mostLinks) return messages.tooMany(mostLinks);
  if (different < min || different > max) return messages.invalid;
  return unique && different < links.length ? messages.invalid : null;
}
