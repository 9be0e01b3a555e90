/** All calls of one relay thread: does what the engine asks for, and tells it what happens. */
import { MediaRefused, MediaUnavailable } from '../media-engine.ts';
import { alone } from './outbox.ts';
import { PortPairs } from './port-pairs.ts';
import { RelayedCall } from './relayed-call.ts';
import { RelayedLeg } from './relayed-leg.ts';
import type { PortSource } from './sockets.ts';
import type { FromThread, ThreadSettings, ToThread } from './thread-messages.ts';

type Tell = (message: FromThread) => void;

export class Relay {
  readonly #settings: ThreadSettings;
  readonly #ports: PortSource;
  readonly #tell: Tell;
  readonly #calls = new Map<number, RelayedCall>();

  constructor(settings: ThreadSettings, tell: Tell) {
    this.#settings = settings;
    this.#tell = tell;
    this.#ports = { pairs: settings.ports && new PortPairs(settings.ports), owner: settings.number };
  }

  receive(message: ToThread): void {
    switch (message.kind) {
      case 'leg':
        return void this.#addLeg(message);
      case 'describe':
        return void this.#describe(message);
      case 'refused':
        return void this.#calls.get(message.call)?.refused(message.from, message.to);
      case 'drop':
        return void this.#calls.get(message.call)?.drop(message.leg);
      case 'press':
        return void this.#calls.get(message.call)?.leg(message.leg).press(message.key, message.durationMs);
      case 'quality':
        return void this.#tellFigures(message.id, this.#calls.get(message.call)?.quality());
      case 'close':
        this.#tellFigures(message.id, this.#calls.get(message.call)?.close());
        return void this.#calls.delete(message.call);
      case 'tick':
        for (const call of this.#calls.values()) call.tick(message.ms);
    }
  }

  #addLeg({ call, leg, name, settings }: Extract<ToThread, { kind: 'leg' }>): void {
    const relayed = this.#calls.get(call) ?? new RelayedCall();
    this.#calls.set(call, relayed);
    const options = {
      name,
      settings,
      addresses: this.#settings.addresses,
      identity: this.#settings.identity,
      ports: this.#ports,
      silent: () => this.#tell({ kind: 'silent', call, leg }),
      keyPressed: (key: string, durationMs: number) => this.#tell({ kind: 'key', call, leg, key, durationMs }),
    };
    try {
      relayed.add(leg, new RelayedLeg(options));
    } catch {
      // Settings that cannot be read are no reason to end all calls of this thread: what it describes is refused.
    }
  }

  async #describe({ id, call, act, from, to, sdp }: Extract<ToThread, { kind: 'describe' }>): Promise<void> {
    try {
      const relayed = this.#calls.get(call);
      if (relayed === undefined) throw new MediaRefused('The call has ended.');
      const body = Buffer.from(sdp.buffer, sdp.byteOffset, sdp.byteLength);
      const told = await relayed[act](from, to, body);
      const eventLegs = [...relayed.legs].flatMap(([number, leg]) => (leg.takesKeyPresses ? [number] : []));
      this.#tell({ kind: 'described', id, sdp: alone(told), eventLegs });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#tell({ kind: 'failed', id, reason: reasonOf(error), message });
    }
  }

  #tellFigures(id: number, quality = { legs: [] } as ReturnType<RelayedCall['quality']>): void {
    this.#tell({ kind: 'figures', id, quality });
  }
}

function reasonOf(error: unknown): Extract<FromThread, { kind: 'failed' }>['reason'] {
  if (error instanceof MediaRefused) return 'refused';
  return error instanceof MediaUnavailable ? 'unavailable' : 'broken';
}
