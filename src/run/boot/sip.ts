/** SIP of one environment: its ports are opened and closed with the process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { dialPolicy } from '../../business/b2bua/dial-policy.ts';
import { SipEndpoint, type SipListeningPorts } from '../../business/b2bua/endpoint.ts';
import { hangUpForsaken } from '../../business/b2bua/forsaken-legs.ts';
import type { SipPorts } from '../../business/b2bua/sip-settings.ts';
import { Switchboard } from '../../business/b2bua/switchboard.ts';
import { traceTap } from '../../business/b2bua/trace-tap.ts';
import { PortTaken } from '../../business/b2bua/wires.ts';
import { voiceOf } from '../../business/voice/voice.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { isReachableByStrangers } from '../config/reach.ts';
import type { Config } from '../config/types.ts';

export interface SipService {
  readonly endpoint: SipEndpoint;
  /** Null for a process that only places calls. */
  readonly ports: SipListeningPorts | null;
  /** New calls are refused from now on. */
  drain(): void;
  /** Calls that are up or being set up. */
  readonly calls: number;
  /** Hangs up the calls of this process; their ends are written by the call engine. */
  endCalls(): Promise<void>;
  /** Closes the ports. */
  stop(): Promise<void>;
}

const lastWordsMs = 300;

/** SIP of a world on a port of its own: on this one, or if another program has taken it on any free one. */
export async function openWorldSip(
  env: WholeEnvironment,
  config: Config,
  media: MediaEngine | null,
  port: number,
): Promise<SipService> {
  // An advertised port leads to that of the sandbox.
  const advertised = config.sip.advertised.map(({ host }) => ({ host, port: null }));
  const own: Config = { ...config, sip: { ...config.sip, advertised } };
  const open = async (number: number): Promise<SipService> => {
    const service = await openSip(env, own, media, { port: number, isChosen: true, tlsPort: null });
    if (service === null) throw new Error('this process does not serve SIP');
    return service;
  };
  try {
    return await open(port);
  } catch (error) {
    if (!(error instanceof PortTaken) || port === 0) throw error;
    return open(0);
  }
}

/** A process with the role `worker` and without `voice` places calls (spoken codes) from any free port. */
export async function openSip(
  env: WholeEnvironment,
  config: Config,
  media: MediaEngine | null,
  ports = config.environments[env.name].sip,
): Promise<SipService | null> {
  const serves = config.roles.has('voice');
  if (ports === null || !(serves || config.roles.has('worker'))) return null;
  const { sipCheckSeconds: checkSeconds } = config;
  const { callsPerSecond, edges } = config.sip;
  const endpoint = new SipEndpoint(env, { policy: policyOf(env.name, config), callsPerSecond, edges, media });
  const voice = await voiceOf(env);
  endpoint.taps.add(traceTap(voice.recorder));
  const opened = await listen(env, endpoint, config, serves ? ports : { port: 0, isChosen: false, tlsPort: null });
  if (!opened) return null;
  env.sip.endpoint = endpoint;
  const stopHangingUp = voice.onForsaken((calls) => {
    hangUpForsaken(endpoint, calls).catch((error: unknown) =>
      env.log.warn({ err: error }, 'legs of calls whose process is gone could not be hung up'),
    );
  });
  const switchboard = serves
    ? new Switchboard(endpoint, voice, { checkSeconds, answersItself: env.name === 'sandbox' })
    : null;
  if (switchboard !== null) {
    endpoint.takeCalls(switchboard);
    // Who serves SIP can hang up the legs of others' calls, whether it runs jobs or not.
    voice.watchOthers();
  }
  return {
    endpoint,
    ports: serves ? endpoint.ports : null,
    drain: () => endpoint.drain(),
    get calls() {
      return switchboard?.size ?? 0;
    },
    endCalls: async () => {
      const hadCalls = (switchboard?.size ?? 0) > 0;
      switchboard?.stop();
      // BYE and its response need a moment on the network.
      if (hadCalls) await sleep(lastWordsMs);
    },
    stop: async () => {
      env.sip.endpoint = null;
      stopHangingUp();
      await endpoint.stop();
    },
  };
}

/** False if nobody chose the port and another program has it: a laptop's softphone must not prevent the start. */
async function listen(env: WholeEnvironment, endpoint: SipEndpoint, config: Config, ports: SipPorts): Promise<boolean> {
  try {
    await endpoint.listen(config.sip, ports);
    return true;
  } catch (error) {
    if (!(error instanceof PortTaken) || ports.isChosen) throw error;
    env.log.warn({ port: ports.port }, 'no SIP: its usual port is taken by another program, and no other one is set');
    return false;
  }
}

/**
 * As for callbacks, but an environment that only this machine reaches may call every address: its customers are its
 * operator.
 */
function policyOf(name: EnvironmentName, config: Config) {
  const allowEverything = !isReachableByStrangers(config, name);
  return dialPolicy(name, addressPolicy({ allowEverything, allowedRanges: config.outboundAllow }));
}
