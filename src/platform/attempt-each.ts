import type { Logger } from 'pino';

/**
 * Does something with each of many records, so that one that cannot be done leaves no other undone. Answers the ids that
 * failed; a job throws at its end when there are any, and is tried again.
 */
export async function attemptEach(
  ids: readonly string[],
  log: Pick<Logger, 'error'>,
  act: (id: string) => Promise<void>,
): Promise<string[]> {
  const failed: string[] = [];
  for (const id of ids) {
    try {
      await act(id);
    } catch (error) {
      log.error({ err: error, id }, 'a record could not be settled; it is tried again');
      failed.push(id);
    }
  }
  return failed;
}
