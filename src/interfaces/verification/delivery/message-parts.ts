/**
 * Encodes a text for SMPP: GSM 03.38 if it has all characters, else UCS-2; a long text is split into concatenated
 * parts.
 */

interface MessageParts {
  /** SMPP's data_coding: 0 = the default alphabet, 8 = UCS-2. */
  dataCoding: 0 | 8;
  /** Each part's octets, behind a concatenation header when there are several. */
  parts: Buffer[];
  concatenated: boolean;
}

/** `reference` (one octet) tells the handset which parts belong together. */
export function messageParts(text: string, reference: number): MessageParts {
  const gsm = gsmCharacters(text);
  // A part is 140 octets: 160 septets or 70 UCS-2 units; the header takes 7 septets or 3 units of it.
  if (gsm !== null) return cut(gsm.map(Buffer.from), { dataCoding: 0, whole: 160, part: 153, reference });
  return cut([...text].map(ucs2), { dataCoding: 8, whole: 140, part: 134, reference });
}

interface Limits {
  dataCoding: 0 | 8;
  whole: number;
  part: number;
  reference: number;
}

/** Cuts between characters only: neither an escape pair nor a surrogate pair is torn apart. */
function cut(characters: Buffer[], { dataCoding, whole, part, reference }: Limits): MessageParts {
  const everything = Buffer.concat(characters);
  if (everything.length <= whole) return { dataCoding, parts: [everything], concatenated: false };
  const pieces: Buffer[][] = [[]];
  let size = 0;
  for (const character of characters) {
    if (size + character.length > part) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)?.push(character);
    size += character.length;
  }
  const parts = pieces.map((piece, index) =>
    Buffer.concat([Buffer.from([5, 0, 3, reference & 0xff, pieces.length, index + 1]), ...piece]),
  );
  return { dataCoding, parts, concatenated: true };
}

function ucs2(character: string): Buffer {
  return Buffer.from(character, 'utf16le').swap16();
}

const basicAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

const escapeSeptet = 0x1b;
const extension: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
};

const septetsOf = new Map<string, readonly number[]>([
  ...[...basicAlphabet].flatMap((character, septet): [string, readonly number[]][] =>
    septet === escapeSeptet ? [] : [[character, [septet]]],
  ),
  ...Object.entries(extension).map(([character, septet]): [string, readonly number[]] => [
    character,
    [escapeSeptet, septet],
  ]),
]);

/** The septets of each character, or null when the alphabet lacks one of them. */
function gsmCharacters(text: string): (readonly number[])[] | null {
  const characters: (readonly number[])[] = [];
  for (const character of text) {
    const septets = septetsOf.get(character);
    if (septets === undefined) return null;
    characters.push(septets);
  }
  return characters;
}
