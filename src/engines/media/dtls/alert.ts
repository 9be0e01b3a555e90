/** Why a handshake ends before its time (RFC 5246, 7.2). */

export const alerts = {
  closeNotify: 0,
  unexpectedMessage: 10,
  handshakeFailure: 40,
  badCertificate: 42,
  illegalParameter: 47,
  decodeError: 50,
  decryptError: 51,
  protocolVersion: 70,
} as const;

/** Both ends are told: the peer by the number, who reads the trace by the message. */
export class DtlsFailure extends Error {
  readonly alert: number;

  constructor(alert: keyof typeof alerts, message: string) {
    super(message);
    this.alert = alerts[alert];
  }
}
