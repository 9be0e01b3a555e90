/** Structured logs, one JSON object a line. */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** Where a log goes: standard output for a server, standard error for a command whose output is its result. */
export function createLog(level: string, to: 'stdout' | 'stderr'): Logger {
  return createLogOn(destination({ dest: to === 'stdout' ? 1 : 2, sync: to === 'stderr' }), level);
}

export function createLogOn(stream: DestinationStream, level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      // No room logs headers or bodies; should one ever do, these names stay out all the same.
      redact: {
        paths: secretNames.flatMap((name) => [name, `*${name.startsWith('[') ? name : `.${name}`}`]),
        censor: '[secret]',
      },
    },
    stream,
  );
}

const secretNames = ['["api-key"]', 'authorization', 'cookie', 'password', 'secret', 'callback_secret'];

/** Not every property: a database error carries its connection, and the row that offended. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
