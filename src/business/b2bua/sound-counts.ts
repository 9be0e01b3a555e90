/** How the calls of one process sounded, for its metrics: by direction, and by the side that was heard. */
import type { CallQuality, HeardMedia } from '../../engines/media/media-engine.ts';

/** What listeners say of a MOS (ITU-T P.800, G.107): satisfied, some dissatisfied, many dissatisfied. */
const leastMos = { good: 4, fair: 3.6 };

const sides: Readonly<Record<string, string>> = { caller: 'caller', 'called side': 'called' };

interface Sound {
  packets: number;
  lost: number;
  /** Whole sides of calls, by how they sounded: `good`, `fair`, `poor`, `silent`, or `short` for too little of it. */
  readonly heard: Map<string, number>;
  /** Packets by why they were dropped. */
  readonly dropped: Map<string, number>;
}

export class SoundCounts {
  readonly #sounds = new Map<string, Sound>();

  count(direction: 'in' | 'out', { legs }: CallQuality): void {
    for (const { name, heard } of legs) {
      const side = sides[name];
      if (side === undefined) continue;
      const sound = this.#of(`${direction} ${side}`);
      sound.packets += heard.packets;
      sound.lost += heard.lost;
      add(sound.heard, wordOf(heard), 1);
      for (const [reason, packets] of Object.entries(heard.dropped)) add(sound.dropped, reason, packets);
    }
  }

  *all(): Generator<{ direction: string; side: string; sound: Sound }> {
    for (const [key, sound] of this.#sounds) {
      const [direction = '', side = ''] = key.split(' ');
      yield { direction, side, sound };
    }
  }

  #of(key: string): Sound {
    const known = this.#sounds.get(key) ?? { packets: 0, lost: 0, heard: new Map(), dropped: new Map() };
    this.#sounds.set(key, known);
    return known;
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function wordOf({ packets, mos }: HeardMedia): string {
  if (packets === 0) return 'silent';
  if (mos === null) return 'short';
  if (mos >= leastMos.good) return 'good';
  return mos >= leastMos.fair ? 'fair' : 'poor';
}
