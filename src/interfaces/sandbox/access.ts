/**
 * Who may use the control interface. Every route belongs to a subject, the first word of its path, and this table says
 * what each reaches beside the sandbox itself: a key with scopes needs those areas too, or it would read and write
 * through the sandbox what it may not at `/v3`. A subject without a line is refused to everybody.
 */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../business/accounts/caller.ts';
import { type KeyArea, mayUse, mayUseAll } from '../../business/accounts/key-scopes.ts';
import type { Subject } from '../../business/accounts/member-roles.ts';
import type { RouteFlags } from '../../engines/jsonapi/engine.ts';
import { ControlError, Refused } from './control.ts';

export const reaches: Readonly<Record<string, readonly KeyArea[] | 'everything'>> = {
  address_verifications: ['regulation'],
  calls: [],
  clock: [],
  deliveries: 'everything',
  emergency_verifications: ['regulation'],
  faults: [],
  listen: 'everything',
  messages: [],
  orders: [],
  requests: 'everything',
  scenarios: [],
  seed: 'everything',
  snapshots: 'everything',
  timeline: 'everything',
  // One from the account itself or from a snapshot asks for everything (control-worlds.ts).
  worlds: [],
};

/** What a request is about; null without a route, which ends with 404. */
export function subjectOf(request: FastifyRequest): Subject | null {
  if (request.is404) return null;
  const { type = null } = request.routeOptions.config as RouteFlags;
  return { interface: 'sandbox/v1', type, reads: request.method === 'GET' || request.method === 'HEAD' };
}

/** Throws 403. A suspended account uses nothing: what it makes here would be a way around its suspension. */
export function requireUse(caller: Caller, subject: Subject | null): void {
  if (caller.suspensionReason !== null) throw new Refused(caller.suspensionReason);
  if (subject === null) return;
  const { type, reads } = subject;
  const reached = type !== null && Object.hasOwn(reaches, type) ? reaches[type] : undefined;
  if (reached === undefined) throw new Refused('This path is not named by any rule of access.');
  if (!mayUse(caller, 'sandbox', reads)) throw new ControlError('out_of_scope');
  if (reached === 'everything') {
    requireEverything(caller, reads);
    return;
  }
  const missing = reached.find((area) => !mayUse(caller, area, reads));
  if (missing !== undefined) throw new Refused(`The API key has no scope for this: it needs ${missing} too.`);
}

/** For what shows, copies or makes records of every kind. */
export function requireEverything(caller: Caller, reads: boolean): void {
  if (mayUseAll(caller, reads)) return;
  throw new Refused('This reaches records of every kind: the API key needs all scopes, or none that limit it.');
}
