/** Lines of one request carry its id, whoever logs them. */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { RequestLogger } from './request-logger.ts';

function loggerOf(bindings: object, level = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const parent = pino({ level, base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { lines, logger: new RequestLogger(parent, bindings, {}) };
}

it('logs at every level with the bindings of its request', () => {
  const { lines, logger } = loggerOf({ request_id: 'r1' }, 'trace');
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const) {
    logger[level]({ from: level }, 'it is %s', level);
  }
  expect(lines).toEqual(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace'].map((level) => ({
      level: pino.levels.values[level],
      request_id: 'r1',
      from: level,
      msg: `it is ${level}`,
    })),
  );
});

it('has children with the bindings of both, and a level of its own', () => {
  const { lines, logger } = loggerOf({ request_id: 'r2' });
  expect(logger.level).toBe('debug');
  logger.level = 'error';
  logger.info('not logged');
  logger.child({ part: 'body' }).error('logged');
  expect(lines).toEqual([{ level: 50, request_id: 'r2', part: 'body', msg: 'logged' }]);
});
