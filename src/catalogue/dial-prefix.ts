/**
 * The first digits of a group's numbers. A country prefix may include an area code ("1684") that the group's prefix
 * repeats.
 */
export function dialPrefix(countryPrefix: string, groupPrefix: string): string {
  return `${isNorthAmerican(countryPrefix) ? '1' : countryPrefix}${groupPrefix}`;
}

export function isNorthAmerican(countryPrefix: string | null): boolean {
  return countryPrefix?.startsWith('1') ?? false;
}
