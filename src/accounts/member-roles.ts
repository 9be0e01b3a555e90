/**
 * What the people of an account may change in the panel, on every interface that takes a session. Everyone reads
 * everything. API keys have no role: who holds one may do what the account may.
 */
import type { FastifyRequest } from 'fastify';
import type { AccountRole } from '../db/tables/accounts.ts';
import type { OperatorRole } from '../db/tables/operators.ts';

export const memberRoleTexts: Readonly<Record<AccountRole, string>> = {
  owner: 'Everything, the team included.',
  billing:
    'Buys numbers and channels, keeps the paperwork, sets the warning of a low balance; changes nothing technical.',
  developer: 'Everything but the team.',
  'read-only': 'Looks everything up and changes nothing.',
};

const everyone: readonly AccountRole[] = ['owner', 'billing', 'developer', 'read-only'];
const purchases: readonly AccountRole[] = ['owner', 'billing', 'developer'];
const technical: readonly AccountRole[] = ['owner', 'developer'];
const team: readonly AccountRole[] = ['owner'];

/** Interface and type → who may write. What is not listed is technical. */
const writers: Readonly<Record<string, readonly AccountRole[]>> = {
  'v3/orders': purchases,
  'v3/did_reservations': purchases,
  'v3/identities': purchases,
  'v3/addresses': purchases,
  'v3/proofs': purchases,
  'v3/encrypted_files': purchases,
  'v3/permanent_supporting_documents': purchases,
  'v3/address_verifications': purchases,
  'v3/requirement_validations': purchases,
  'v3/emergency_requirement_validations': purchases,
  // The API version and the callback secret are for owners and developers; that is checked there.
  'panel/v1/account_settings': purchases,
  'panel/v1/members': team,
  // One's own login; whose it is, is checked there.
  'panel/v1/session': everyone,
  'panel/v1/sessions': everyone,
  'panel/v1/login': everyone,
  'panel/v1/passkeys': everyone,
};

/** An operator who acts as a customer may do there what comes nearest to the operator's own role. */
export const actingRole: Readonly<Record<OperatorRole, AccountRole>> = {
  owner: 'owner',
  support: 'owner',
  finance: 'billing',
  reviewer: 'read-only',
  'read-only': 'read-only',
};

/** A person's role does not allow what the request asks for. */
export class RoleForbids extends Error {
  override readonly name = 'RoleForbids';
  readonly statusCode = 403;
}

export const isRead = ({ method }: Pick<FastifyRequest, 'method'>): boolean => method === 'GET' || method === 'HEAD';

function writersOf(url: string): readonly AccountRole[] {
  const [, name = ''] = /^\/((?:v3|sandbox\/v1|panel\/v1)\/[^/?]*)/.exec(url) ?? [];
  return writers[name] ?? technical;
}

export function requireMemberRole(role: AccountRole, request: Pick<FastifyRequest, 'method' | 'url'>): void {
  if (isRead(request)) return;
  const allowed = writersOf(request.url);
  if (!allowed.includes(role)) {
    throw new RoleForbids(`The role ${role} may not do this; it needs ${allowed.join(' or ')}.`);
  }
}
