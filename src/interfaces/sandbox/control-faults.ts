/** `/sandbox/v1/faults`: what is to go wrong, and how often. */

import { isUuid } from '../../base/uuid.ts';
import type { Environment } from '../../engines/environment.ts';
import { type DomainFault, domainFaults } from '../../engines/injected-faults.ts';
import { checkerOf, type Static, shape } from '../../engines/typed-schema.ts';
import { BadControlRequest, type Control, ControlError } from './control.ts';
import { hashOfKey } from './faults/match.ts';
import { isNamedError } from './faults/named-errors.ts';
import { type Fault, type FaultAction, type FaultMatch, StoredFaults } from './faults/stored-faults.ts';

const longestDelayMs = 600_000;

export const faultNames = Object.keys(domainFaults).filter((name): name is DomainFault =>
  Object.hasOwn(domainFaults, name),
);

export const actionBody = shape.object(
  {
    status: shape.optional(
      shape.integer({ minimum: 400, maximum: 599, description: 'The request is refused with this status.' }),
    ),
    error: shape.optional(
      shape.string({ maxLength: 100, description: 'The request is refused with this error, in its exact form.' }),
    ),
    rate_limit: shape.optional(shape.constant(true, { description: 'The request is refused with 429.' })),
    delay_ms: shape.optional(
      shape.integer({
        minimum: 1,
        maximum: longestDelayMs,
        description: 'The request waits, and is then handled or, with another member, refused.',
      }),
    ),
    drop: shape.optional(
      shape.either(shape.constant(true), shape.constant('response'), {
        description: 'The connection breaks: before the request is handled, or instead of its response.',
      }),
    ),
    truncate: shape.optional(
      shape.constant(true, {
        description: 'The request is handled; the connection breaks in the middle of its response.',
      }),
    ),
    fault: shape.optional(shape.word(faultNames, { description: 'Something outside of a request goes wrong.' })),
    seconds: shape.optional(
      shape.integer({ minimum: 1, maximum: 31_536_000, description: 'How late, for a `fault`.' }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

export const newFaultBody = shape.object(
  {
    match: shape.optional(
      shape.object(
        {
          method: shape.optional(shape.string({ pattern: '^[A-Za-z]{1,20}$' })),
          path: shape.optional(
            shape.string({
              minLength: 1,
              maxLength: 500,
              description: 'Such as `/v3/orders` or `/v3/dids/*`; without it every path below `/v3` and `/api/v1`.',
            }),
          ),
          api_key: shape.optional(shape.string({ minLength: 1, maxLength: 500 })),
        },
        { additionalProperties: false },
      ),
    ),
    do: actionBody,
    times: shape.optional(
      shape.either(shape.integer({ minimum: 1, maximum: 1_000_000 }), shape.null(), {
        default: 1,
        description: 'How often it happens; null: until it is removed.',
      }),
    ),
    probability: shape.optional(shape.number({ exclusiveMinimum: 0, maximum: 1, default: 1 })),
    seed: shape.optional(
      shape.integer({
        minimum: 0,
        maximum: 2 ** 31 - 1,
        description: 'The same seed hits the same requests in every run.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const faultsControl: Control = (routes, env) => {
  routes.get('/faults', async ({ caller }) => ({
    body: { faults: (await faultsOf(env).list(caller.accountId)).map(shown) },
  }));

  routes.post('/faults', newFaultBody, async ({ caller, body }) => {
    const { api_key, ...match } = body.match ?? {};
    const fault = await faultsOf(env).add(
      caller.accountId,
      {
        match: { ...match, ...(api_key === undefined ? {} : { api_key_hash: hashOfKey(api_key) }) },
        action: checked(body.do, body.match),
        times: body.times === undefined ? 1 : body.times,
        probability: body.probability ?? 1,
        seed: body.seed ?? null,
      },
      env.clock.now(),
    );
    return { status: 201, body: shown(fault) };
  });

  routes.delete('/faults/:id', async ({ caller, params }) => {
    const { id = '' } = params;
    if (!isUuid(id) || !(await faultsOf(env).remove(caller.accountId, id))) throw new ControlError('not_found');
    return { status: 204, body: null };
  });

  routes.delete('/faults', async ({ caller }) => {
    await faultsOf(env).remove(caller.accountId, null);
    return { status: 204, body: null };
  });
};

/** Every sandbox is opened with them; only their interface towards other rooms is part of the environment. */
export function faultsOf({ faults }: Environment): StoredFaults {
  if (faults instanceof StoredFaults) return faults;
  throw new Error('this environment has no faults');
}

const stored = checkerOf(newFaultBody);

/** Whether a fault as it is stored is one that a request could have made. */
export function isPossibleFault(
  fault: Pick<Fault, 'match' | 'action' | 'times_left' | 'probability' | 'seed'>,
): boolean {
  const { match, action, times_left: times, probability, seed } = fault;
  const { api_key_hash: _hash, ...rest } = Object(match) as FaultMatch;
  const body: unknown = { match: rest, do: action, times: times || null, probability: Number(probability), seed };
  if (!stored.allows(body)) return false;
  try {
    checked(body.do, Object.keys(Object(match)).length > 0 ? rest : undefined);
    return true;
  } catch {
    return false;
  }
}

/** Members that each say how a request ends; a delay may stand before any of them. */
const endings = ['status', 'error', 'rate_limit', 'drop', 'truncate', 'fault'] as const;

function checked(action: Static<typeof actionBody>, match: object | undefined): FaultAction {
  const given = endings.filter((name) => action[name] !== undefined);
  if (given.length > 1) throw new BadControlRequest(`do can have one of ${given.join(' and ')} only`);
  if (action.error !== undefined && !isNamedError(action.error)) {
    throw new BadControlRequest(`do.error is not the name of an error; GET /sandbox/v1/scenarios lists them`);
  }
  if (action.fault === undefined) {
    if (action.seconds !== undefined) throw new BadControlRequest('do.seconds is for a fault; a request has delay_ms');
    if (given.length === 0 && action.delay_ms === undefined) throw new BadControlRequest('do says nothing');
  } else if (match !== undefined || action.delay_ms !== undefined) {
    throw new BadControlRequest('do.fault is not about requests: it has neither match nor delay_ms');
  }
  return action;
}

function shown({ id, match, action, times_left, probability, seed, hits, created_at }: Fault) {
  const { api_key_hash, ...visible } = match;
  return {
    id,
    match: { ...visible, ...(api_key_hash === undefined ? {} : { api_key: '***' }) },
    do: action,
    times_left,
    probability: Number(probability),
    seed,
    hits,
    created_at: created_at.toISOString(),
  };
}
