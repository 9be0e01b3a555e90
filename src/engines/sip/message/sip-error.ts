/** A message that cannot be accepted: the status and reason with which a request is refused; a response is dropped. */
export class SipError extends Error {
  override name = 'SipError';
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

export function badRequest(reason: string): SipError {
  return new SipError(400, reason);
}
