/** The shapes of response documents. Member order is part of the contract. */
import type { Linkage } from './linkage.ts';

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

export interface Document {
  data?: ResourceObject | ResourceObject[] | null;
  included?: ResourceObject[];
  meta: Record<string, unknown>;
  links?: Record<string, string>;
}
