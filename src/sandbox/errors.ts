/** The errors of the control interface: status and text. */
export const controlErrors = {
  unauthorized: [401, 'The api-key header is missing or the key is not valid here.'],
  clock_not_yours: [403, 'The operator of this sandbox does not let this account move the clock.'],
  not_found: [404, 'There is nothing here.'],
  jobs_stalled: [503, 'Something that fell due did not end in time; the clock goes on from the time it had reached.'],
} as const satisfies Record<string, readonly [number, string]>;

export class ControlError extends Error {
  readonly statusCode: number;

  constructor(name: keyof typeof controlErrors) {
    super(controlErrors[name][1]);
    this.statusCode = controlErrors[name][0];
  }
}

/** The request is invalid; the text says why. */
export class BadControlRequest extends Error {
  readonly statusCode: number;

  constructor(text: string, statusCode: 400 | 409 | 422 = 422) {
    super(text);
    this.statusCode = statusCode;
  }
}
