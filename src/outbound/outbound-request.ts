/** The request and response types of the guarded HTTP client. */

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Total time, from DNS lookup to the end of the response. */
  timeoutMs?: number;
  /** Maximum time without data once connected: before the response headers, and between parts of the body. */
  readTimeoutMs?: number;
  maxResponseBytes?: number;
  /** What happens to a longer response: it is cut, or the request fails as `response_too_large`. */
  oversize?: 'cut' | 'fail';
  /** Sends the body only after 100 Continue (`Expect: 100-continue`). */
  expectContinue?: boolean;
  /**
   * Uses a new connection and closes it afterwards. For requests that must not be repeated: if the receiver has just
   * closed a kept-alive connection, it is unknown whether the request arrived. Other requests are then sent once more.
   */
  freshConnection?: boolean;
  /** Aborts the request, which fails as `aborted`. */
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}
