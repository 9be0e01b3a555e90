/** Ids that responses have named, by the type of their record: what later requests are about. */
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';

/** Of one type; newer ones take the place of older ones. */
const mostKept = 30;

export class Memory {
  readonly #ids = new Map<string, string[]>();

  learn(text: string): void {
    for (const [, one, , type] of text.matchAll(/"id":"([^"]+)","type":"((\w+))"/g)) this.#keep(type ?? '', one ?? '');
    for (const [, type, id] of text.matchAll(/"type":"(\w+)","id":"([^"]+)"/g)) this.#keep(type ?? '', id ?? '');
  }

  idOf(type: string, random: SeededRandom): string | null {
    const known = this.#ids.get(type);
    return known === undefined ? null : random.pick(known);
  }

  #keep(type: string, id: string): void {
    const known = this.#ids.get(type) ?? [];
    this.#ids.set(type, known);
    if (known.includes(id)) return;
    known.push(id);
    if (known.length > mostKept) known.shift();
  }
}
