/** `/sandbox/v1/calls`: places simulated inbound calls through the real routing, capacity, event and CDR code. */

import { hangUp, phraseOf } from '../../business/voice/disconnect-codes.ts';
import { endCallById } from '../../business/voice/end-elsewhere.ts';
import type { InboundCall } from '../../business/voice/inbound/call.ts';
import { momentOf } from '../../business/voice/moment.ts';
import { type CallScript, type SimulatedCall, simulateInbound } from '../../business/voice/simulate.ts';
import { voiceOf } from '../../business/voice/voice.ts';
import { type Static, shape } from '../../engines/typed-schema.ts';
import type { Control } from './control.ts';
import { BadControlRequest, ControlError } from './control.ts';
import { callerFault } from './faults/magic-values.ts';

const longest = 86_400;

const scriptBody = shape.object(
  {
    outcomes: shape.optional(
      shape.array(
        shape.object(
          {
            code: shape.either(shape.integer({ minimum: 200, maximum: 699 }), shape.constant('timeout')),
            ring_seconds: shape.optional(shape.number({ minimum: 0, maximum: longest })),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 100, description: 'One attempt after another; the last repeats.' },
      ),
    ),
    talk_seconds: shape.optional(
      shape.either(shape.number({ minimum: 0, maximum: longest }), shape.null(), {
        description: 'Null: the call stays up until it is hung up.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const newCallBody = shape.object(
  {
    did_number: shape.string({ pattern: '^\\+?[0-9]{1,20}$' }),
    src_number: shape.string({ minLength: 1, maxLength: 64 }),
    src_name: shape.optional(shape.either(shape.string({ maxLength: 128 }), shape.null())),
    script: shape.optional(scriptBody),
  },
  { additionalProperties: false },
);

export const hangUpBody = shape.object({});

export const callsControl: Control = (routes, env) => {
  routes.post('/calls', newCallBody, async ({ body, caller }) => {
    const didNumber = body.did_number.replace(/^\+/, '');
    await requireOwn(didNumber, caller.accountId);
    const voice = await voiceOf(env);
    const arrival = { didNumber, srcNumber: body.src_number, srcName: body.src_name ?? null };
    const taken = await env.faults?.take(callFaults, caller.accountId);
    const script = { ...scriptOf(body.script), ...faultyScript(callerFault(body.src_number) ?? taken?.name ?? null) };
    return { status: 201, body: shown(await simulateInbound(voice, arrival, script)) };
  });

  routes.post('/calls/:id/hangup', hangUpBody, async ({ params, caller }) => {
    const id = params.id ?? '';
    const up = await env.db
      .selectFrom('open_calls')
      .select('account_id')
      .where('id', '=', id)
      .where('account_id', '=', caller.accountId)
      .where('direction', '=', 'in')
      .executeTakeFirst();
    const over = up === undefined ? null : await endCallById(env, id, hangUp, () => momentOf(env.clock));
    if (over?.direction !== 'in') throw new ControlError('not_found');
    (await voiceOf(env)).onEvents(caller.accountId, 'voice_in_events');
    return { body: shown({ call: over, status: 'completed' }) };
  });

  /** Treat another account's number as unknown; never reveal the owner. */
  async function requireOwn(number: string, accountId: string): Promise<void> {
    const own = await env.db
      .selectFrom('dids')
      .select('id')
      .where('number', '=', number)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (own === undefined) throw new BadControlRequest('did_number is not a number of this account');
  }
};

const callFaults = ['call.rings_forever', 'call.drops'] as const;

function faultyScript(fault: string | null): Partial<CallScript> {
  if (fault === 'call.rings_forever') return { outcomes: [{ code: 'timeout' }] };
  if (fault !== 'call.drops') return {};
  const disconnect = { code: 408, reason: phraseOf(408), initiator: 'switch' } as const;
  return { outcomes: [{ code: 200 }], talk_seconds: 1, disconnect };
}

function scriptOf(script: Static<typeof scriptBody> | undefined): CallScript {
  const { outcomes = [{ code: 200 }], talk_seconds = 30 } = script ?? {};
  return { outcomes, talk_seconds };
}

function shown({ call, status }: SimulatedCall) {
  return {
    id: call.id,
    status,
    disconnect_code: call.disconnect?.code ?? null,
    attempts: call.attempts.map((attempt) => ({ voice_in_trunk_id: attempt.trunkId, code: codeOf(call, attempt) })),
  };
}

/** An answered attempt counts as 200, whichever side hung up. */
function codeOf(call: InboundCall, attempt: InboundCall['attempts'][number]): number | null {
  const isLast = call.attempts.at(-1) === attempt;
  return isLast && call.timeConnect !== null ? 200 : (attempt.disconnect?.code ?? null);
}
