/** How telephone numbers are written: in groups, as people of their country read them out. */
import formats from './number-formats.json' with { type: 'json' };

type Format = readonly string[];

const byCode: Readonly<Record<string, readonly Format[]>> = formats;
/** The same number stands in many places of a page, and a page is painted often. */
const known = new Map<string, string>();
const mostKnown = 5_000;
const leastWhole = 7;
/** A number is one word: it is not broken into lines. */
const space = '\u00a0';

/** With the plus; what is no whole number of its country stays together, such as a prefix or an extension. */
export function groupNumber(digits: string): string {
  const before = known.get(digits);
  if (before !== undefined) return before;
  const code = [1, 2, 3].map((length) => digits.slice(0, length)).find((start) => start in byCode) ?? '';
  const rest = digits.slice(code.length);
  const own = byCode[code] ?? [];
  const format = own.find(
    ([pattern = '', , beginning = '']) =>
      new RegExp(`^(?:${beginning})`).test(rest) && new RegExp(`^(?:${pattern})$`).test(rest),
  );
  // Numbers for which nobody has laid down groups are one behind the code; fewer digits may be a prefix.
  const isOneGroup = code !== '' && rest !== '' && (own.length === 0 || rest.length >= leastWhole);
  const grouped =
    format === undefined
      ? `+${isOneGroup ? `${code}${space}${rest}` : digits}`
      : `+${code} ${rest.replace(new RegExp(`^(?:${format[0]})$`), format[1] ?? '')}`.replaceAll(' ', space);
  if (known.size >= mostKnown) known.clear();
  known.set(digits, grouped);
  return grouped;
}

/** As programs and other telephones take them: for spreadsheets, and for what somebody pastes into a search. */
export const plainNumbers = (text: string): string =>
  text.replace(/\+[\d\u00a0]+/g, (number) => number.replaceAll(space, ''));
