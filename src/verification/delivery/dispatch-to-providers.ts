/**
 * Real delivery. Nobody can make "send" and "note that it was sent" one step across two houses, so the order is: make
 * everything ready, note that sending begins (with the code's hash and the provider), send, note the end. A process killed
 * before the first note has sent nothing, and another sends. One killed after it leaves a record that may have been sent:
 * a provider that knows idempotency keys is asked again, and with any other the record is left in doubt
 * (dispatch-marks.ts). So no code is sent twice, the code in a message that did go out works, and one that was lost is seen
 * to have failed.
 */
import type { Environment } from '../../environment.ts';
import { LaneFull, type Leave, lanesOf } from '../../jobs/lanes.ts';
import { generateCode } from '../codes.ts';
import { numberFacts } from '../destination.ts';
import { faultPoint } from '../fault-points.ts';
import { readSettings } from '../settings.ts';
import { askProvider } from './ask-provider.ts';
import { addCode, leaveInDoubt, markBegun, markDispatched, markRefused } from './dispatch-marks.ts';
import { type Dispatch, endDispatch, textOf } from './dispatch-state.ts';
import { openProvider } from './open-providers.ts';
import type { DeliveryProvider, OutgoingMessage } from './provider.ts';
import { byHealth } from './provider-health.ts';
import { providersFor, type RoutedProvider } from './routes.ts';

/** `signal` is aborted when the process stops: what was surely not sent is left for the next run of the job. */
export async function dispatchToProviders(env: Environment, dispatch: Dispatch, signal: AbortSignal): Promise<void> {
  const providers = await providersFor(env, dispatch.deliveryMethod, dispatch.destination);
  if (dispatch.begun) return takeUp(env, dispatch, providers, signal);
  const code = generateCode(dispatch.codeLength);
  const message = await messageOf(env, dispatch, code);
  faultPoint('dispatch.prepared');
  let full: string | null = null;
  for (const routed of await byHealth(env, providers)) {
    const place = enter(env, routed);
    if (place === null) {
      full ??= laneOf(routed);
      continue;
    }
    const { provider, leave } = place;
    const begin = () => markBegun(env, dispatch, code, routed.id);
    const asked = await askProvider(env, { routed, provider, message, begin, signal }).finally(leave);
    faultPoint('dispatch.sent');
    if (asked.outcome === 'withdrawn') return;
    if (asked.outcome === 'unknown') return leaveInDoubt(env, dispatch);
    if (asked.outcome === 'sent') {
      await markDispatched(env, dispatch, routed.id, asked.messageIds);
      faultPoint('dispatch.committed');
      return;
    }
    await markRefused(env, dispatch, routed.id);
    signal.throwIfAborted();
  }
  if (full !== null) throw new LaneFull(full);
  await endDispatch(env, dispatch.id, 'dispatch_failed');
}

/** Null when the provider has as many messages under way as it is given at once. */
function enter(env: Environment, routed: RoutedProvider): { provider: DeliveryProvider; leave: Leave } | null {
  const provider = openProvider(env, routed);
  const leave = lanesOf(env).tryEnter(laneOf(routed), provider.concurrency);
  return leave === null ? null : { provider, leave };
}

const laneOf = ({ id }: RoutedProvider) => `provider ${id}`;

/** After a crash in the middle of sending. */
async function takeUp(
  env: Environment,
  dispatch: Dispatch,
  providers: RoutedProvider[],
  signal: AbortSignal,
): Promise<void> {
  const routed = providers.find(({ id }) => id === dispatch.providerId);
  if (routed?.settings.idempotent !== true) return leaveInDoubt(env, dispatch);
  const code = generateCode(dispatch.codeLength);
  await addCode(env, dispatch, code);
  const message = await messageOf(env, dispatch, code);
  const begin = async () => undefined;
  const asked = await askProvider(env, { routed, provider: openProvider(env, routed), message, begin, signal });
  signal.throwIfAborted();
  if (asked.outcome === 'sent') await markDispatched(env, dispatch, routed.id, asked.messageIds);
  else await leaveInDoubt(env, dispatch);
}

async function messageOf(env: Environment, dispatch: Dispatch, code: string): Promise<OutgoingMessage> {
  return {
    verificationId: dispatch.id,
    destination: dispatch.destination,
    deliveryMethod: dispatch.deliveryMethod,
    text: textOf(dispatch, code),
    code,
    language: dispatch.language,
    sender: await senderOf(env, dispatch),
    validityMinutes: Math.ceil(dispatch.codeTimeout / 60),
  };
}

async function senderOf(env: Environment, { senders, destination }: Dispatch): Promise<string> {
  const country = Object.keys(senders).length > 0 ? numberFacts(destination).country : null;
  return senders[country ?? 'default'] ?? senders.default ?? (await readSettings(env)).sender;
}
