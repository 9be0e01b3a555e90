/** The media engine of this process: one for all its environments, since they share the ports of the machine. */
import type { Logger } from 'pino';
import { mediaAddresses } from '../../business/b2bua/media-addresses.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import { EmbeddedEngine } from '../../engines/media/embedded/embedded-engine.ts';
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { rtpengine } from '../../engines/media/rtpengine/rtpengine.ts';
import { MediaShare } from '../../engines/media/share.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import type { Config } from '../config/types.ts';

export interface ProcessMedia {
  /** Null: media flow past this process. */
  of(name: EnvironmentName): MediaEngine | null;
  /** Each world has a share of its own within that of the sandbox. */
  ofWorld(): MediaEngine | null;
  stop(): Promise<void>;
}

export const noMedia: ProcessMedia = { of: () => null, ofWorld: () => null, stop: async () => undefined };

/** Calls at a time where the engine does not say how many it can carry: as many as the usual range of ports holds. */
const usualCalls = 2_500;
const portsOfCall = 4;
/** So that neither the sandbox nor one of its worlds can take the ports of production. */
const shares = { sandboxBesideProduction: 1 / 2, world: 1 / 10 };

/** Threads and ports are taken by calls, not here. */
export async function openMedia(config: Config, log: Logger): Promise<ProcessMedia> {
  if (!servesCalls(config) || config.media.engine === 'direct') return noMedia;
  const engine = config.media.engine === 'embedded' ? await embedded(config, log) : await outside(config, log);
  const { ports } = config.media;
  const all = ports === null ? usualCalls : Math.floor((ports.to - ports.from + 1) / portsOfCall);
  const share = (of: MediaEngine, part: number) =>
    new MediaShare(of, Math.max(1, Math.floor(all * part)), Math.floor((of.transcoding?.most ?? 0) * part));
  const isBeside = config.environments.production.sip !== null;
  const sandbox = isBeside ? share(engine, shares.sandboxBesideProduction) : engine;
  return {
    of: (name) => (name === 'sandbox' ? sandbox : engine),
    ofWorld: () => share(sandbox, shares.world),
    stop: () => engine.stop(),
  };
}

const servesCalls = ({ roles, environments }: Config): boolean =>
  roles.has('voice') && Object.values(environments).some(({ sip }) => sip !== null);

async function embedded(config: Config, log: Logger): Promise<MediaEngine> {
  const { bound, advertised } = await mediaAddresses(config.sip, config.media);
  return new EmbeddedEngine({
    ports: config.media.ports,
    addresses: bound,
    advertised,
    timers: machineTimers,
    log: (problem) => log.error({ problem }, 'the media engine has a problem'),
  });
}

async function outside({ media: { hosts, mostTranscoded } }: Config, log: Logger): Promise<MediaEngine> {
  const engine = await rtpengine({ hosts, timers: machineTimers, mostTranscoded });
  for (const { name, isUp, problem } of engine.state().parts) {
    if (!isUp) log.error(`rtpengine ${name} of TRUNKLINE_MEDIA ${problem}: it gets no calls until it answers`);
  }
  return engine;
}
