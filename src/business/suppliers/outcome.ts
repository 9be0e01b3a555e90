/** What came of a request to a supplier. Whoever asks has to decide what each of them means: no error is thrown. */
export type Outcome<T> = { readonly kind: 'done'; readonly value: T } | NotDone;

export type NotDone =
  /** The supplier understood and said no. Nothing has changed there. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly text: string }
  /** Not sent, or sent back unread: too many requests, or the supplier is set aside after failures. Ask again then. */
  | { readonly kind: 'limited'; readonly until: Date; readonly text: string }
  /** No byte of it was sent. Nothing has changed there. */
  | { readonly kind: 'unreached'; readonly text: string }
  /** It was sent and not answered, or with an error of the server: what it asked for may be done or not. */
  | { readonly kind: 'unknown'; readonly text: string }
  /** It was answered with success, and the answer cannot be read: what it asked for is probably done. */
  | { readonly kind: 'garbage'; readonly text: string };

export const done = <T>(value: T): Outcome<T> => ({ kind: 'done', value });
