/** Ids made from names (UUID version 5), so that a catalogue entry has the same id on every machine. */
import { hash } from 'node:crypto';

const namespace = Buffer.from('4e5f0a5c3c0b5d7f9a1e6b2d8c4f7013', 'hex');

export function nameBasedId(type: string, ...name: (string | null)[]): string {
  const text = `${type}/${name.map((part) => part ?? '').join('/')}`;
  const bytes = hash('sha1', Buffer.concat([namespace, Buffer.from(text)]), 'buffer');
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
