/** What a Kamailio in front of several workers has to know. */

export interface EdgeSettings {
  /** `udp:203.0.113.10:5060`, `tcp:…`, `tls:…`, in the order in which they are tried. */
  readonly listen: readonly string[];
  /** Where the workers listen: `10.0.0.11:5060`. */
  readonly workers: readonly string[];
  /** Where `kamailio.cfg` and the files beside it will lie. */
  readonly folder: string;
  /** PEM files; needed as soon as it listens for TLS. */
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
  /** The control port of rtpengine, `udp:127.0.0.1:2223`; null lets media flow past the edge. */
  readonly rtpengine: string | null;
  /** Requests that one address may send in two seconds before it is ignored for a while. */
  readonly requestsPerSource: number;
  /** Networks without that limit: carriers. */
  readonly exempt: readonly string[];
  /** New calls in a second; more get 503. */
  readonly callsPerSecond: number;
  /** Processes for each socket. */
  readonly children: number;
}

/** The example of the repository: two workers on one private network. */
export const exampleEdge: EdgeSettings = {
  listen: ['udp:203.0.113.10:5060', 'tcp:203.0.113.10:5060', 'udp:10.0.0.10:5060', 'tcp:10.0.0.10:5060'],
  workers: ['10.0.0.11:5060', '10.0.0.12:5060'],
  folder: '/etc/kamailio',
  certificateFile: null,
  keyFile: null,
  rtpengine: null,
  requestsPerSource: 60,
  exempt: [],
  callsPerSecond: 500,
  children: 4,
};

/**
 * The header in which the edge tells a worker where a request came from. Workers believe it from an edge's address
 * only.
 */
export const sourceHeader = 'X-Trunkline-Source';

export const hasTls = ({ listen }: EdgeSettings): boolean => listen.some((socket) => socket.startsWith('tls:'));

/** `udp:[2001:db8::1]:5060` → `[2001:db8::1]`. */
export const hostOf = (socket: string): string => socket.replace(/^(udp|tcp|tls):/, '').replace(/:\d+$/, '');
