/** Calls through a media engine, by offers and answers as the call engine makes them. */
import { calledCarrierMedia } from '../../src/business/b2bua/leg-media.ts';
import type { MediaCall, MediaEngine } from '../../src/engines/media/media-engine.ts';
import type { CallPorts } from './messages.ts';

export interface OpenCalls {
  /** Where the engine listens for each party. */
  readonly ports: readonly CallPorts[];
  close(): Promise<void>;
}

export async function joinCalls(engine: MediaEngine, parties: readonly CallPorts[]): Promise<OpenCalls> {
  const calls: MediaCall[] = [];
  const ports: CallPorts[] = [];
  for (const [at, { left, right }] of parties.entries()) {
    const call = engine.open(`bench-${process.pid}-${at}`, {
      silent: () => undefined,
      keyPress: () => undefined,
      died: (reason) => process.stderr.write(`${reason}\n`),
    });
    calls.push(call);
    const [one, other] = [call.leg('left', calledCarrierMedia), call.leg('right', calledCarrierMedia)];
    const offer = await call.offer(one, other, describe(left));
    const answer = await call.answer(other, one, describe(right));
    ports.push({ left: portOf(answer), right: portOf(offer) });
  }
  return { ports, close: async () => void (await Promise.all(calls.map((call) => call.close()))) };
}

const describe = (port: number): Buffer =>
  Buffer.from(
    [
      ...['v=0', 'o=- 7 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', `m=audio ${port} RTP/AVP 0 101`],
      ...['a=rtpmap:0 PCMU/8000', 'a=rtpmap:101 telephone-event/8000', ''],
    ].join('\r\n'),
  );

const portOf = (sdp: Buffer): number => Number(/^m=audio (\d+)/m.exec(String(sdp))?.[1]);
