/** What an operator sets about SIP: addresses, ports, certificates. */

/** A host or address that peers are told instead of the one that is bound, for example outside of a NAT. */
export interface AdvertisedAddress {
  readonly host: string;
  /** Null: the port that is bound. */
  readonly port: number | null;
}

/** SIP settings of all environments. */
export interface SipConfig {
  /** Addresses to bind: at most one of IPv4 and one of IPv6. */
  readonly hosts: readonly string[];
  readonly advertised: readonly AdvertisedAddress[];
  /** PEM files; null as long as no TLS port is open. */
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
  /** Authorities that certificates of peers must come from; null: those of the system. */
  readonly authoritiesFile: string | null;
  /** New calls that are accepted per second; others get 503. */
  readonly callsPerSecond: number;
  /** Addresses and networks of edges, whose word on the source of a request counts. */
  readonly edges: readonly string[];
}

/** SIP ports of one environment. */
export interface SipPorts {
  /** UDP and TCP; zero is any free port. */
  readonly port: number;
  /** The setting names this port. A port by default that is taken does not prevent the start. */
  readonly isChosen: boolean;
  readonly tlsPort: number | null;
}
