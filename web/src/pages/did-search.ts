/** What `/v3/dids` is asked for when somebody types: a whole number, or words of the description. */
export function didSearch(text: string): Record<string, string> {
  const digits = text.replace(/[\s()+./-]/g, '');
  return /^\d{6,20}$/.test(digits) ? { 'filter[number]': digits } : { 'filter[description]': text };
}
