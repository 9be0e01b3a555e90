/** Language tags as the service reads them: narrower than BCP 47, canonical in case, matched whole. */

/** What every channel falls back to. */
export const DEFAULT_LANGUAGE = 'en-US';

/** `pt-br` → `pt-BR`, for a tag of the accepted shape (`languages` in bodies.ts). */
export function canonicalTag(tag: string): string {
  const [primary = '', second] = tag.split('-');
  return second === undefined ? primary.toLowerCase() : `${primary.toLowerCase()}-${second.toUpperCase()}`;
}

/** The first wish that the catalogue has, whole: `pl` does not match `pl-PL`. */
export function selectLanguage(catalogue: Record<string, unknown>, wishes: readonly string[]): string {
  return wishes.find((tag) => Object.hasOwn(catalogue, tag)) ?? DEFAULT_LANGUAGE;
}
