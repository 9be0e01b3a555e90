/** The media engine of carriers: rtpengine, on one host or several, asked over its control protocol. */
import type { Timers } from '../../sip/timers.ts';
import { type MediaEngine, type MediaEngineState, MediaUnavailable } from '../media-engine.ts';
import { Control, type RtpengineHost } from './control.ts';
import { forgetCalls } from './forget-calls.ts';
import { RtpengineCall } from './rtpengine-call.ts';
import { transcodable } from './transcoding.ts';

interface RtpengineSettings {
  readonly hosts: readonly RtpengineHost[];
  readonly timers: Timers;
  /** Calls at a time whose media may be transcoded; none if absent. */
  readonly mostTranscoded?: number;
}

/** Resolves when every host has answered or has been given up for now; it is asked again and again. */
export async function rtpengine({ hosts, timers, mostTranscoded = 0 }: RtpengineSettings): Promise<MediaEngine> {
  const calls = new Set<RtpengineCall>();
  const callsOf = (control: Control) => [...calls].filter((call) => call.control === control);
  const controls: Control[] = hosts.map((host) => {
    const control: Control = new Control(host, timers, (reason) => {
      for (const call of callsOf(control)) call.die(reason);
    });
    return control;
  });
  await Promise.all(controls.map((control) => control.watch()));
  let opened = 0;
  /** Calls are spread evenly over the hosts that are up. */
  const inOrder = (): Control[] => {
    const up = controls.filter(({ isUp }) => isUp);
    const first = up.length === 0 ? 0 : opened % up.length;
    return [...up.slice(first), ...up.slice(0, first)];
  };
  const stateOf = (control: Control) => ({
    ...{ name: control.name, isUp: control.isUp, problem: control.problem },
    calls: callsOf(control).length,
  });
  return {
    name: 'rtpengine',
    transcoding: mostTranscoded > 0 ? { codecs: transcodable, most: mostTranscoded } : null,
    open: (callId, user) => {
      if (!controls.some(({ isUp }) => isUp)) throw new MediaUnavailable(absence(controls));
      opened += 1;
      const ordered = inOrder();
      const host = {
        ...{ timers, controls: () => ordered, closed: (call: RtpengineCall) => void calls.delete(call) },
        mayTranscode: () => [...calls].filter(({ isTranscoded }) => isTranscoded).length < mostTranscoded,
      };
      const call = new RtpengineCall(callId, host, user);
      calls.add(call);
      return call;
    },
    forget: (callIds) => {
      for (const control of controls) if (control.isUp) void forgetCalls(control, callIds);
    },
    state: (): MediaEngineState => ({ calls: calls.size, ports: null, parts: controls.map(stateOf) }),
    stop: async () => {
      await Promise.all([...calls].map((call) => call.close()));
      for (const control of controls) control.stop();
    },
  };
}

const absence = (controls: readonly Control[]): string =>
  controls.map(({ name, problem }) => `rtpengine ${name} ${problem}`).join('; ');
