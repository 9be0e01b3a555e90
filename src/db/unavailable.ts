/**
 * Whether an error means that the database, or the store of files, cannot do the work now: the client should try again,
 * nothing is broken.
 */

/** No connection became free in time. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';
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

/** Seconds to wait after an error that only means that the database cannot serve now; null for any other error. */
export const retryAfter = (error: unknown): number | null => (isUnavailable(error) ? retryAfterSeconds : null);

/** PostgreSQL's classes 08 (connection) and 57P (shutdown, starting), and single codes. */
const unavailableCodes =
  /^(08...|57P..|57014|55P03|53[123]00|25006|25P03|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;

/** pg has no code for these. */
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/;

const temporary = [DatabaseBusy, Overloaded, ClientGone, StorageUnavailable];

export function isUnavailable(error: unknown): boolean {
  if (temporary.some((type) => error instanceof type)) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return unavailableCodes.test(error.code);
  return unavailableMessages.test(error.message);
}
