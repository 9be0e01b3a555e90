/** Something the person at the command line can mend: it is shown as one sentence, without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
