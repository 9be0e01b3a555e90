/** Language tags as the service reads them: narrower than BCP 47, canonical in case, matched whole. */

/** What every channel falls back to. */
export const DEFAULT_LANGUAGE = 'en-US';

/** `pt-br` → `pt-BR`; null for what is not a tag of the accepted shape (`zh-Hans-CN` is not). */
export function canonicalTag(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/.test(value)) return null;
  const [primary = '', second] = value.split('-');
  return second === undefined ? primary.toLowerCase() : `${primary.toLowerCase()}-${second.toUpperCase()}`;
}

/** The first wish that the catalogue has, whole: `pl` does not match `pl-PL`. */
export function selectLanguage(catalogue: Record<string, unknown>, wishes: readonly string[]): string {
  return wishes.find((tag) => Object.hasOwn(catalogue, tag)) ?? DEFAULT_LANGUAGE;
}
