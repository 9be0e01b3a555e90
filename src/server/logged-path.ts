/** The path of a request as the log may show it. A phone number or a code in it is masked, however it was written. */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.csv\.gz)?$/i;
const CALL_ID = /^10-[0-9A-F]{8}-[0-9A-F]{16}-[0-9A-F]{8}$/;

export function loggedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path
    .split('/')
    .map((segment) => (isHarmless(segment) ? segment : '[masked]'))
    .join('/');
}

/** The words of routes, and ids. Anything percent-encoded may hide digits. */
function isHarmless(segment: string): boolean {
  if (UUID.test(segment) || CALL_ID.test(segment)) return true;
  return /^[\w.~-]*$/.test(segment) && segment.replace(/\D/g, '').length < 4;
}
