/**
 * Upper bounds of what is read from the network. Real messages stay far below; what exceeds a bound is refused or
 * dropped.
 */
export const limits = {
  /** A whole message, start line to end of body, on any transport. */
  messageBytes: 65_535,
  /** Start line and headers. */
  headBytes: 32_768,
  /** Header lines after unfolding. */
  headers: 200,
  /** Values of one comma-separated header, for example Via or Route. */
  listValues: 70,
  parameters: 40,
  uriCharacters: 2_048,
  bodyParts: 20,
} as const;

/** RFC 3261 18.1.1: a request longer than this is not sent over UDP where the path's MTU is unknown. */
export const longestDatagramRequest = 1_300;
