/**
 * Whether an error means that the database, or the store of files, cannot do the work now: the client should try again,
 * nothing is broken.
 */

/** No connection became free in time. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';
}

/** Of several servers none takes writes at the moment. The message says why, for logs. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
}

/** More requests are in flight than this server can finish soon. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** The client closed its connection before there was a response. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The store of large files does not respond, or refuses. The message says why, for logs. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** Seconds that a client is asked to wait before it tries again. */
export const retryAfterSeconds = 1;

/**
 * PostgreSQL's classes 08 (connection), 40 (rolled back for another transaction), 53 (disk, memory, connections) and
 * 57P (shutdown, crash, starting, recovery), and single codes; and those of a socket.
 */
const unavailableCodes = new RegExp(
  `^(${[
    ...['08...', '40...', '53...', '57P..', '57014', '55P03', '25006', '25P03', '58000', '58030'],
    ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'],
    ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'ENOTCONN', 'ENOBUFS'],
    ...['EMFILE', 'ENFILE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_SOCKET_CLOSED'],
  ].join('|')})$`,
);

/**
 * What connecting to a Unix socket says while its server is away: the socket or its folder is missing, or it is full.
 */
const missingSocketCodes = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EAGAIN', 'EPROTOTYPE', 'ENOTSOCK']);

/** pg has no code for these. */
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Cannot use a pool after calling end|This socket has been ended)/;

const temporary = [DatabaseBusy, NoPrimary, Overloaded, ClientGone, StorageUnavailable];

export function isUnavailable(error: unknown): boolean {
  if (temporary.some((type) => error instanceof type)) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') {
    const isConnecting = 'syscall' in error && error.syscall === 'connect';
    return unavailableCodes.test(error.code) || (isConnecting && missingSocketCodes.has(error.code));
  }
  return unavailableMessages.test(error.message);
}

/** PostgreSQL's class 40, a lock that did not become free in time, and a statement that took too long. */
const heldUpCodes = /^(40...|55P03|57014)$/;

/** Whether other transactions were in the way of this one; the database itself is there, and serves others. */
export function isHeldUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && heldUpCodes.test(error.code);
}
