/** The codes with which calls and attempts end: their reason phrases, and which of them lead to the next trunk. */
import type { Disconnect } from './call.ts';

/** Internal code of an attempt that rang until the trunk's ringing timeout; SIP has no status for it. */
export const ringingTimeoutCode = 1505;

/** The reason phrases, as shown in call logs and CDRs. */
const phrases: Readonly<Record<number, string>> = {
  200: 'Bye',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  410: 'Gone',
  415: 'Unsupported Media Type',
  420: 'Bad Extension',
  480: 'Temporarily Unavailable',
  481: 'Call Does Not Exist',
  482: 'Loop Detected',
  483: 'Too Many Hops',
  484: 'Address Incomplete',
  485: 'Ambiguous',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Server Timeout',
  600: 'Busy Everywhere',
  603: 'Decline',
  604: 'Does Not Exist Anywhere',
  606: 'Not Acceptable',
  [ringingTimeoutCode]: 'Ringing timeout',
};

export const phraseOf = (code: number): string => phrases[code] ?? `Response ${code}`;

/** How an attempt failed, for traces: what its peer answered, or why it failed here. */
export const failureText = ({ code, reason, initiator }: Disconnect): string =>
  initiator === 'switch' ? `failed with ${code} (${reason})` : `answered ${code} ${reason}`;

/** Why a call is refused: the SIP code for the caller, the reason, and its text in call logs and CDRs. */
export interface Refusal<R extends string> {
  code: number;
  reason: R;
  text: string;
}

/** How a call ends when the caller hangs up. */
export const hangUp: Disconnect = { code: 200, reason: phraseOf(200), initiator: 'origination' };

/** Ids of `rerouting_disconnect_code_ids` → SIP status, as the contract lists them. */
export const reroutingCodes: Readonly<Record<number, number>> = {
  ...{ 56: 400, 57: 401, 58: 402, 59: 403, 60: 404, 64: 408, 65: 409, 66: 410, 67: 412, 68: 413, 69: 414, 70: 415 },
  ...{ 71: 416, 72: 417, 73: 420, 74: 421, 75: 422, 76: 423, 77: 424, 78: 428, 79: 429, 80: 433, 81: 436, 82: 437 },
  ...{ 83: 438, 84: 480, 86: 482, 87: 483, 88: 484, 89: 485, 90: 486, 91: 487, 92: 488, 96: 494, 97: 500, 98: 501 },
  ...{ 99: 502, 100: 503, 101: 504, 102: 505, 103: 513, 104: 580, 105: 600, 106: 603, 107: 604, 108: 606 },
  [ringingTimeoutCode]: ringingTimeoutCode,
};

/** A trunk without a list (null, or PSTN forwarding) never reroutes a call. */
export function isRerouted(code: number, listedIds: readonly number[] | null): boolean {
  return listedIds?.some((id) => reroutingCodes[id] === code) ?? false;
}

/** The SIP status sent to the caller when the last attempt ends with this code. */
export const sipCodeOf = (code: number): number => (code === ringingTimeoutCode ? 408 : code);
