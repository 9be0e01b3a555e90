/** The reason phrases of disconnect codes, as shown in call logs and CDRs, and the disconnect of a hang-up. */
import type { Disconnect } from './call.ts';
import { ringingTimeoutCode } from './inbound/rerouting.ts';

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

/** How a call ends when the caller hangs up. */
export const hangUp: Disconnect = { code: 200, reason: phraseOf(200), initiator: 'origination' };
