/** How numbers begin: a country's code may hold the area code of its island ("1684"), which the group's prefix repeats. */
export function dialPrefix(countryPrefix: string, groupPrefix: string): string {
  return `${isNorthAmerican(countryPrefix) ? '1' : countryPrefix}${groupPrefix}`;
}

export function isNorthAmerican(countryPrefix: string | null): boolean {
  return countryPrefix?.startsWith('1') ?? false;
}
