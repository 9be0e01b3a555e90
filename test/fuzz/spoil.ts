/** What clients send that should not be sent: one value of a document becomes another, goes away, or is joined. */
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import { isRecord } from './values.ts';

const odd: readonly unknown[] = [
  ...[null, true, [], {}, [[]], '', ' ', 'null', 'a\0b', '\ud800', '\u202e', '🙂'.repeat(20), '%', '%00', '{DID}'],
  ...["'; drop table dids; --", '<img src=x onerror=alert(1)>', '../../etc/passwd', '\r\nX-Other: 1', '{{CODE}}'],
  ...[-1, 0, 0.1, 1e21, 2 ** 31, 2 ** 53, -(2 ** 63), '1e400', '99999999999999999999', 'NaN', '-0', '0x10', '１２'],
  ...['9999-12-31T23:59:59-14:00', '0000-00-00', '+275760-09-13T00:00:00Z', '2026-02-30', 'http://[::1', 'sip:@'],
  ...['x'.repeat(256), 'x'.repeat(70_000), '4'.repeat(1_000), 'ab,cd', '-name', 'a.b.c.d.e', '__proto__'],
];

export const oddValue = (random: SeededRandom): unknown => structuredClone(random.pick(odd));

/** Changed in place, except where the whole is replaced. */
export function spoiled(document: unknown, random: SeededRandom): unknown {
  const places = placesOf(document);
  if (places.length === 0 || random.chance(0.02)) return oddValue(random);
  const { holder, key } = random.pick(places);
  switch (random.below(6)) {
    case 0:
      remove(holder, key);
      break;
    case 1:
      add(holder, random);
      break;
    case 2:
      put(holder, key, [at(holder, key), at(holder, key)]);
      break;
    case 3:
      put(holder, key, { type: 'dids', id: at(holder, key), attributes: {} });
      break;
    default:
      put(holder, key, oddValue(random));
  }
  return document;
}

type Holder = Record<string, unknown> | unknown[];
interface Place {
  holder: Holder;
  key: string | number;
}

function placesOf(value: unknown): Place[] {
  if (Array.isArray(value)) return value.flatMap((each, key) => [{ holder: value, key }, ...placesOf(each)]);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => [{ holder: value, key }, ...placesOf(each)]);
}

const at = (holder: Holder, key: string | number): unknown => (holder as Record<string | number, unknown>)[key];

/** As a member of its own, also where it is called `__proto__`. */
function put(holder: Holder, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

function remove(holder: Holder, key: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function add(holder: Holder, random: SeededRandom): void {
  const name = random.pick(['unknown', '__proto__', 'constructor', 'toString', 'id', 'type', 'attributes', 'ä', '']);
  if (Array.isArray(holder)) holder.push(oddValue(random));
  else put(holder, name, oddValue(random));
}
