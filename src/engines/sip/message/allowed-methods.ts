/** The methods that are served, as told in Allow: others get 405. */

const calls = ['INVITE', 'ACK', 'CANCEL', 'BYE', 'OPTIONS', 'PRACK', 'UPDATE', 'INFO', 'REFER'];

/** Text messages are passed on between the ends of a call. */
export const allowedInDialog = [...calls, 'MESSAGE'].join(', ');

export const allowedOutside = [...calls, 'REGISTER'].join(', ');
