/**
 * Codes that are spoken by real calls: an environment with a SIP endpoint and a worker, and phones in place of
 * carriers.
 */
import { afterEach } from 'vitest';
import { dialPolicy } from '../../src/business/b2bua/dial-policy.ts';
import { SipEndpoint } from '../../src/business/b2bua/endpoint.ts';
import { type CarrierSettings, createCarrier } from '../../src/business/voice/carriers/carriers.ts';
import { addRoute } from '../../src/business/voice/carriers/routes.ts';
import type { EnvironmentName } from '../../src/engines/environment.ts';
import { addressPolicy } from '../../src/engines/outbound/address-policy.ts';
import type { Target } from '../../src/engines/sip/transport/wire.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { dispatchVerification } from '../../src/interfaces/verification/delivery/dispatch.ts';
import { changeSettings } from '../../src/interfaces/verification/settings.ts';
import { startQuietWorker } from './quiet-worker.ts';
import { useOpened } from './use.ts';
import { startVerificationServer } from './verification-server.ts';

const everywhere = addressPolicy({ allowEverything: true, allowedRanges: [] });
const sip = {
  hosts: ['127.0.0.1'],
  advertised: [],
  certificateFile: null,
  keyFile: null,
  authoritiesFile: null,
  edges: [],
};

/** A SIP endpoint of the environment on loopback, with which its jobs place calls. */
export async function openEndpoint(env: WholeEnvironment) {
  const endpoint = new SipEndpoint(env, { policy: dialPolicy(env.name, everywhere), callsPerSecond: 100 });
  await endpoint.listen({ ...sip, callsPerSecond: 100 }, { port: 0, isChosen: true, tlsPort: null });
  env.sip.endpoint = endpoint;
  return {
    endpoint,
    close: async () => {
      env.sip.endpoint = null;
      await endpoint.stop();
    },
  };
}

export async function openCalling(name: EnvironmentName) {
  const server = await startVerificationServer({ name });
  const { env } = server;
  await changeSettings(env, { callerNumber: '4930100' });
  const { endpoint, close } = await openEndpoint(env);
  let worker = await startQuietWorker(env, dispatchVerification, { pollMs: 100 });
  let carriers = 0;
  return {
    server,
    env,
    endpoint,
    /** As a stop of the process does, and its next start. */
    async restartWorker() {
      await worker.stop(0);
      worker = await startQuietWorker(env, dispatchVerification, { pollMs: 100 });
    },
    /** A carrier at that target, with a route for numbers with the prefix. Returns its name. */
    async addCarrier(target: Target, prefix: string, settings: Partial<CarrierSettings> = {}, priority = 10) {
      const carrier = `carrier ${++carriers}`;
      const transport = target.transport === 'TCP' ? 'tcp' : 'udp';
      await createCarrier(env, { name: carrier, host: target.address, port: target.port, transport, ...settings });
      await addRoute(env, { carrier, prefix, priority, weight: 1 });
      return carrier;
    },
    /** The recorded attempts of a verification, in their order. */
    calls: (verificationId: string) =>
      env.db
        .selectFrom('verification_calls')
        .selectAll()
        .where('verification_id', '=', verificationId)
        .orderBy('started_at')
        .orderBy('ended_at')
        .execute(),
    async close() {
      await worker.stop(0);
      await close();
      await server.close();
    },
  };
}

export type Calling = Awaited<ReturnType<typeof openCalling>>;

/** Closed after the last test of the file. */
export const useCalling = (name: EnvironmentName): Calling => useOpened(() => openCalling(name));

/** Closes what a test has opened, after it. */
export function useClosing() {
  const open: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });
  return <T extends { close(): Promise<unknown> }>(opened: T): T => {
    open.push(opened);
    return opened;
  };
}
