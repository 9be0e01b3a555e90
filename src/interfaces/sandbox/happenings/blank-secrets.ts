/** Takes secrets out of bodies and paths that a test may see: passwords, keys, tokens and codes. */

const secretMember = /password|secret|api_key|token|^code$|^key$|incoming_auth_username/i;
const blank = '***';

/** A body as text; what is not JSON is not kept. */
export function blankBody(text: string): string | null {
  if (text === '') return null;
  try {
    return JSON.stringify(blanked(JSON.parse(text)));
  } catch {
    return null;
  }
}

function blanked(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => blanked(each, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, blanked(member, key)]));
  }
  // A public key is no secret, and neither is the code of an error.
  const isSecret = secretMember.test(name) && typeof value === 'string' && !value.includes('PUBLIC KEY');
  return isSecret && !isErrorCode(name, value) ? blank : value;
}

/** Codes that are sent to telephones are digits of at least four places; those of errors are words or three digits. */
const isErrorCode = (name: string, value: string): boolean => name === 'code' && !/^\d{4,}$/.test(value);

export function blankPath(url: string): string {
  return url.replace(/([?&][^=&]*(?:secret|key|token|password)[^=&]*=)[^&]*/gi, `$1${blank}`);
}
