/**
 * The shapes of documents: resource objects, identifiers, and what a request does with the identifiers of a
 * relationship.
 */

/** A resource identifier. */
export interface Linkage {
  type: string;
  id: string;
}

/** Member order is part of the contract. */
export interface ResourceObject {
  id: string;
  type: string;
  attributes?: Record<string, unknown>;
  relationships?: Record<string, RelationshipObject>;
  meta?: Record<string, unknown>;
}

export interface RelationshipObject {
  links: { self: string; related: string };
  data?: Linkage | Linkage[] | null;
}

/** A response document; member order is part of the contract. */
export interface Document {
  data?: ResourceObject | ResourceObject[] | null;
  included?: ResourceObject[];
  meta: Record<string, unknown>;
  links?: Record<string, string>;
}

/** What POST and DELETE on a relationship URL do to a to-many; a plain list replaces all of its members. */
export type LinkageChange = { add: Linkage[] } | { remove: Linkage[] };

/** A to-many relationship in a request. */
export type ToManyInput = Linkage[] | LinkageChange;

/** Which records join a to-many relationship and which leave it; `others` are all members that do not join. */
export interface MembershipChange {
  joining: string[];
  leaving: string[] | 'others';
}

/**
 * A workflow applies this under the lock of its record. It never reads the members to write them all again, so that
 * parallel requests for different members all have their effect.
 */
export function membershipChange(sent: ToManyInput): MembershipChange {
  if (Array.isArray(sent)) return { joining: idsOf(sent), leaving: 'others' };
  return 'add' in sent ? { joining: idsOf(sent.add), leaving: [] } : { joining: [], leaving: idsOf(sent.remove) };
}

/** The identifiers whose records must exist; removing one that is gone succeeds. */
export function linkedBy(sent: Linkage | ToManyInput | null): Linkage[] {
  if (sent === null) return [];
  if (Array.isArray(sent)) return sent;
  if ('add' in sent) return sent.add;
  return 'remove' in sent ? [] : [sent];
}

export const idsOf = (links: readonly Linkage[]): string[] => links.map(({ id }) => id);
