/** Codecs that rtpengine turns into each other, and how it is asked to. */
import type { Bencoded } from './bencode.ts';
import type { Described } from './description.ts';

/** As rtpengine writes them, and it minds the case: what Debian's decodes and encodes, and whose form is known here. */
const codecs = ['PCMU', 'PCMA', 'G722', 'opus', 'GSM', 'G729', 'G723', 'speex'];

const byName = new Map(codecs.map((codec) => [codec.toLowerCase(), codec]));

export const transcodable: readonly string[] = [...byName.keys()];

/** Null if the two share a codec, or have no audio. */
export function codecsToAdd(described: Described, wanted: readonly string[]): readonly string[] | null {
  const offered = described.codecs.map((codec) => codec.toLowerCase());
  if (offered.length === 0 || offered.some((codec) => wanted.includes(codec))) return null;
  return wanted.filter((codec) => byName.has(codec));
}

/** The receiver of the offer gets `added` alone, beside telephone events. */
export const askedToTranscode = (described: Described, added: readonly string[]): { [key: string]: Bencoded } => ({
  codec: { mask: [...new Set(described.codecs)], transcode: added.map((codec) => byName.get(codec) ?? codec) },
});
