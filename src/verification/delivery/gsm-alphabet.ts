/** GSM 03.38: the seven-bit default alphabet and its extension, one septet per octet as SMPP carries it. */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

const ESCAPE = 0x1b;
const EXTENSION: Readonly<Record<string, number>> = {
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

const SEPTETS = new Map<string, readonly number[]>([
  ...[...BASIC].flatMap((character, septet): [string, readonly number[]][] =>
    septet === ESCAPE ? [] : [[character, [septet]]],
  ),
  ...Object.entries(EXTENSION).map(([character, septet]): [string, readonly number[]] => [character, [ESCAPE, septet]]),
]);

/** The septets of each character, or null when the alphabet lacks one of them. */
export function gsmCharacters(text: string): (readonly number[])[] | null {
  const characters: (readonly number[])[] = [];
  for (const character of text) {
    const septets = SEPTETS.get(character);
    if (septets === undefined) return null;
    characters.push(septets);
  }
  return characters;
}
