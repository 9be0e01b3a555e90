/** What every workflow of /operator/v1 receives with a request, and how a type is declared. */

import { OperatorError } from '../../base/operator-error.ts';
import type { Environment } from '../../engines/environment.ts';
import { type Declaration, declare } from '../../engines/jsonapi/declare.ts';
import { ApiError, errors, invalid } from '../../engines/jsonapi/errors.ts';
import type { Access, EngineContext, Resource, WriteInput } from '../../engines/jsonapi/resource.ts';
import type { Attributes, Relationships } from '../../engines/jsonapi/sent.ts';
import type { Acting } from './act.ts';
import type { Operator } from './authenticate.ts';
import { attributePermissions, type OperatorType, rolesFor } from './roles.ts';

export interface OperatorContext extends EngineContext {
  readonly env: Environment;
  readonly operator: Operator;
  /** The client's address. */
  readonly address: string;
}

type OperatorResource = Resource<OperatorContext>;

/** Declares a type that reaches every account; `roles.ts` says who may do what with it. */
export const operatorType = <A extends Attributes, R extends Relationships = Relationships>(
  type: OperatorType,
  declaration: Declaration<OperatorContext, A, R>,
): OperatorResource => declare('catalogue', type, declaration);

/** For every type that a request reaches, whichever way. */
export function requireRole(operator: Operator, type: string, reached: Access | 'name'): void {
  const access = reached === 'name' ? 'read' : reached;
  const roles = rolesFor(type, access);
  if (!roles.includes(operator.role)) throw forbidden(operator, `${access} ${type}`, roles);
}

/** 403 for attributes that this role may not send. */
export function requireAttributes({ operator }: OperatorContext, type: OperatorType, { attributes }: WriteInput): void {
  for (const name of Object.keys(attributes)) {
    const roles = attributePermissions[type]?.[name];
    if (roles !== undefined && !roles.includes(operator.role))
      throw forbidden(operator, `set ${name} of ${type}`, roles);
  }
}

const forbidden = ({ role }: Operator, what: string, roles: readonly string[]) =>
  new ApiError([errors.forbidden(`The role ${role} may not ${what}; this needs ${roles.join(' or ') || 'a rule'}.`)]);

/** The operator as the one who acts. */
export const actingOf = ({ env, operator, address }: OperatorContext, reason: unknown = null): Acting => ({
  env,
  by: operator,
  source: address,
  reason: typeof reason === 'string' ? reason : null,
});

/** Runs a workflow that commands use too; what it refuses is a 422. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof OperatorError ? new ApiError([invalid.base(error.message)]) : error;
  }
}
