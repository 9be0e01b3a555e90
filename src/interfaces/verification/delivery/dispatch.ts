/**
 * The job of every pending verification: makes the code and sends it once.
 *
 * Sending and storing that it was sent cannot be one atomic step across two servers. So the order is: prepare
 * everything, store that sending begins (with the code's hash and the provider), send, store the result. A process
 * killed before the first write has sent nothing, and the job's next run sends. One killed after it leaves a record
 * that may have been sent: a provider that supports idempotency keys is asked again; with any other the record is left
 * in doubt (sending-steps.ts). No code is sent twice, the code in a sent message works, and a lost one becomes
 * `failed`.
 */
import { endLostCalls } from '../../../business/callout/call-records.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { LaneFull, type Leave } from '../../../engines/jobs/lanes.ts';
import { generateCode } from '../codes.ts';
import { countryOf } from '../destination.ts';
import type { VerificationEnvironment } from '../environment.ts';
import { faultPoint } from '../fault-points.ts';
import { dispatchToInbox } from '../sandbox-inbox.ts';
import { readSettings } from '../settings.ts';
import { askProvider } from './ask-provider.ts';
import { dispatchCall, ringFromInbox } from './dispatch-call.ts';
import { openProvider } from './open-providers.ts';
import type { DeliveryProvider, OutgoingMessage } from './provider.ts';
import { byHealth, providersFor, type RoutedProvider } from './routing.ts';
import { addCode, endDispatch, leaveInDoubt, markBegun, markDispatched, markRefused } from './sending-steps.ts';
import { type Dispatch, dispatchTask, loadDispatch, textOf } from './waiting-code.ts';

export const dispatchVerification = handle(
  dispatchTask,
  async ({ verification_id: id }, { env, signal }: TaskContext<VerificationEnvironment>) => {
    const dispatch = await loadDispatch(env, id, env.clock.now());
    // This is the only run of the job, so a call that is still on record belongs to a process that was killed.
    if (dispatch === null || dispatch.deliveryMethod === 'callout') await endLostCalls(env, id);
    if (dispatch === null) return;
    if (dispatch.applicationDeleted) return endDispatch(env, id, 'application_deleted');
    await sendCode(env, dispatch, signal);
  },
);

/** Nothing in the sandbox reaches a real destination, whatever routes there are; a phone nearby may ring. */
export async function sendCode(env: VerificationEnvironment, dispatch: Dispatch, signal: AbortSignal): Promise<void> {
  if (env.name === 'production') return dispatchToProviders(env, dispatch, signal);
  const code = await dispatchToInbox(env, dispatch);
  if (code !== null && dispatch.deliveryMethod === 'callout') await ringFromInbox(env, dispatch, code, signal);
}

/** `signal` is aborted when the process stops: a message that was certainly not sent is left for the job's next run. */
async function dispatchToProviders(
  env: VerificationEnvironment,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<void> {
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
    const result = await askProvider(env, { routed, provider, message, begin, signal }).finally(leave);
    faultPoint('dispatch.sent');
    if (result.outcome === 'withdrawn') return;
    if (result.outcome === 'unknown') return leaveInDoubt(env, dispatch);
    if (result.outcome === 'sent') {
      await markDispatched(env, dispatch, { providerId: routed.id, messageIds: result.messageIds });
      faultPoint('dispatch.committed');
      return;
    }
    await markRefused(env, dispatch, routed.id);
    signal.throwIfAborted();
  }
  if (full !== null) throw new LaneFull(full);
  if (dispatch.deliveryMethod === 'callout') return dispatchCall(env, dispatch, signal);
  await endDispatch(env, dispatch.id, 'dispatch_failed');
}

/** Null if the provider already has as many messages underway as its concurrency allows. */
function enter(
  env: VerificationEnvironment,
  routed: RoutedProvider,
): { provider: DeliveryProvider; leave: Leave } | null {
  const provider = openProvider(env, routed);
  const leave = env.jobs.lanes.tryEnter(laneOf(routed), provider.concurrency);
  return leave === null ? null : { provider, leave };
}

const laneOf = ({ id }: RoutedProvider) => `provider ${id}`;

/** After a crash in the middle of sending. */
async function takeUp(
  env: VerificationEnvironment,
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
  const result = await askProvider(env, { routed, provider: openProvider(env, routed), message, begin, signal });
  signal.throwIfAborted();
  if (result.outcome === 'sent')
    await markDispatched(env, dispatch, { providerId: routed.id, messageIds: result.messageIds });
  else await leaveInDoubt(env, dispatch);
}

async function messageOf(env: VerificationEnvironment, dispatch: Dispatch, code: string): Promise<OutgoingMessage> {
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

async function senderOf(env: VerificationEnvironment, { senders, destination }: Dispatch): Promise<string> {
  const country = Object.keys(senders).length > 0 ? countryOf(destination) : null;
  return senders[country ?? 'default'] ?? senders.default ?? (await readSettings(env)).sender;
}
