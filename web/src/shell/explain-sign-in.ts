/** Why signing in, or asking for a new password, did not work, in words that say what to do. */
import { ApiProblem } from '../api/problems.ts';
import { showSeconds } from '../parts/format.ts';

export function explain(error: Error): string {
  if (!(error instanceof ApiProblem)) {
    return error.name === 'NotAllowedError'
      ? 'No passkey was chosen.'
      : 'The server cannot be reached. Check your connection and try again.';
  }
  if (error.status !== 429) return error.message;
  return `${error.problems[0]?.title ?? 'Too many attempts'}. Try again in ${showSeconds(error.retryAfter ?? 60)} minutes.`;
}
