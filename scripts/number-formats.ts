/**
 * Writes how numbers are grouped, `web/src/parts/number-formats.json`: by calling code the patterns of its numbers,
 * each with how they begin and where the spaces go. They are those of libphonenumber, which is too large for the
 * panel's first page with all that it knows beside. Run it with `node scripts/number-formats.ts`; a test compares the
 * file with its result.
 */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Pattern, format, beginnings from the least to the most exact, and (at 5) the format where it is another abroad. */
type Format = readonly [pattern: string, format: string, beginnings?: readonly string[], ...rest: unknown[]];
type Country = readonly unknown[];

interface Metadata {
  country_calling_codes: Readonly<Record<string, readonly string[]>>;
  countries: Readonly<Record<string, Country>>;
  nonGeographic: Readonly<Record<string, Country>>;
}

export const formatsFile = path.join(import.meta.dirname, '../web/src/parts/number-formats.json');

/** Where the formats are among the members of a country. */
const formatsAt = 4;

const spaced = (format: string): string => format.replace(/[^$\d]+/g, ' ').trim();

function formatsOf(country: Country | undefined): [pattern: string, format: string, beginning: string][] {
  const formats = country?.[formatsAt];
  if (!Array.isArray(formats)) return [];
  return formats.flatMap(([pattern, format, beginnings = [], ...rest]: Format) => {
    const abroad = typeof rest[2] === 'string' ? rest[2] : format;
    // Numbers that cannot be called from abroad have none.
    return abroad === 'NA' ? [] : [[pattern, spaced(abroad), beginnings.at(-1) ?? '']];
  });
}

export function numberFormats(): Record<string, [pattern: string, format: string, beginning: string][]> {
  const metadata: Metadata = createRequire(import.meta.url)('libphonenumber-js/metadata.min.json');
  const geographic = Object.entries(metadata.country_calling_codes).map(
    // Countries that share a code share the formats of the first.
    ([code, [main = '']]) => [code, formatsOf(metadata.countries[main])] as const,
  );
  const others = Object.entries(metadata.nonGeographic).map(([code, each]) => [code, formatsOf(each)] as const);
  return Object.fromEntries([...geographic, ...others]);
}

if (process.argv[1] === import.meta.filename) await writeFile(formatsFile, `${JSON.stringify(numberFormats())}\n`);
