/** Damages packets in the ways that matter to a parser: bytes changed, cut, inserted, removed, repeated. */
import type { SeededRandom } from '../simulation/seeded-random.fixture.ts';

const fragments = [
  '\r\n',
  '\n ',
  '"',
  '\\',
  '<',
  '>',
  ';',
  ',',
  ':',
  '@',
  '%',
  '%zz',
  '\0',
  '[',
  ']',
  ' ',
  '\t',
  '=',
  'Via: ',
  'l: 1',
  'SIP/2.0',
  'é',
];

export function mutate(random: SeededRandom, source: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(source);
  for (let rounds = 1 + random.below(4); rounds > 0; rounds--) {
    const at = random.below(bytes.length + 1);
    const kind = random.below(5);
    if (kind === 0 && bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
    else if (kind === 1) bytes = bytes.subarray(0, at);
    else if (kind === 2) bytes = splice(bytes, at, 0, Buffer.from(random.pick(fragments).repeat(1 + random.below(3))));
    else if (kind === 3) bytes = splice(bytes, at, random.below(20), Buffer.alloc(0));
    else bytes = splice(bytes, at, 0, bytes.subarray(random.below(bytes.length + 1)).subarray(0, random.below(200)));
  }
  return bytes;
}

function splice(bytes: Buffer, at: number, remove: number, insert: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(Math.min(bytes.length, at + remove))]);
}
