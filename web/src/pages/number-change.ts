/** Changing one number, as its page and its forms send it. */
import type { Did } from '../api/documents.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';

type Change = Omit<BodyOf<'PATCH /v3/dids/{id}'>['data'], 'id' | 'type'>;

export const updated = (did: Did, change: Change) => ({ data: { id: did.id, type: 'dids' as const, ...change } });
export const update = (did: Did, change: Change) =>
  ({ method: 'PATCH', path: pathWith('/v3/dids/{id}', { id: did.id }), body: updated(did, change) }) as const;
