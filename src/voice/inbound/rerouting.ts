/** Decides which disconnect codes of an attempt lead to the next trunk of the group. */

/** Internal code of an attempt that rang until the trunk's ringing timeout; SIP has no status for it. */
export const ringingTimeoutCode = 1505;

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
