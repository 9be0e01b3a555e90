/** Numbers of DTLS 1.2 (RFC 6347, RFC 5246, RFC 8422): those of the one way in which we speak it. */

export const version12 = 0xfefd;
/** Of a first record, from a peer that does not know yet what we speak. */
export const version10 = 0xfeff;

export const contentTypes = { changeCipherSpec: 20, alert: 21, handshake: 22 } as const;

export const messageTypes = {
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
} as const;

/** AES-128-GCM with SHA-256, keys agreed by ECDHE; which of the two depends on the server's certificate. */
export const cipherSuites = { ecdsa: 0xc02b, rsa: 0xc02f } as const;
/** A cipher suite that is none: its sender does not renegotiate insecurely (RFC 5746). */
export const renegotiationSignal = 0x00ff;

export const extensionTypes = {
  supportedGroups: 10,
  pointFormats: 11,
  signatureAlgorithms: 13,
  useSrtp: 14,
  extendedMasterSecret: 23,
  renegotiationInfo: 0xff01,
} as const;

/** Curve P-256, which everybody has (RFC 8827). */
export const groupP256 = 23;
export const namedCurve = 3;
export const uncompressedPoint = 0;
