/** What is asked of the guarded HTTP client, and what comes back. */

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** From the first byte of DNS to the last of the response. */
  timeoutMs?: number;
  /** The longest silence once connected: before the response's headers, and between parts of its body. */
  readTimeoutMs?: number;
  maxResponseBytes?: number;
  /** What happens to a longer response: it is cut there, or the request fails as `response_too_large`. */
  oversize?: 'cut' | 'fail';
  /** Sends the body only once the receiver has asked for it (`Expect: 100-continue`). */
  expectContinue?: boolean;
  /**
   * A connection of its own, closed afterwards. For requests that must not be repeated: on a kept connection that the
   * receiver has just closed nobody can tell whether the request arrived. Other requests are then sent once more.
   */
  freshConnection?: boolean;
  /** Gives the request up, as `aborted`. */
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}
