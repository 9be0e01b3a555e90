/** The form of a UUID as it is written in requests, files and options: any version, small or capital letters. */
const digits = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const form = new RegExp(`^${digits}$`, 'i');

/** UUIDs within a text. */
export const uuidsWithin = new RegExp(digits, 'gi');

export function isUuid(text: string): boolean {
  return form.test(text);
}
