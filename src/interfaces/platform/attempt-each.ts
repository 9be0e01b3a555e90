/** Runs an action for each of many records; one that fails does not stop the others. */
import type { Logger } from 'pino';

/** Returns the ids that failed. A job throws at its end if there are any, so that it runs again. */
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
