/** The passive side of a handshake, from the moment when the client has shown that it is where it says. */
import { randomBytes } from 'node:crypto';
import type { ProfileName } from '../srtp/profiles.ts';
import { DtlsFailure } from './alert.ts';
import {
  readCertificate,
  readCertificateVerify,
  writeCertificate,
  writeCertificateRequest,
} from './certificate-messages.ts';
import { cipherSuites, extensionTypes, messageTypes } from './constants.ts';
import { Handshake, type HandshakeParts } from './handshake.ts';
import type { HandshakeMessage } from './handshake-message.ts';
import {
  type ClientHello,
  randomBytesOfHello,
  srtpProfilesOf,
  takesP256,
  takesSignature,
  writeServerHello,
} from './hello.ts';
import { agree, newKeyShare, readClientKeyExchange, signedParameters, writeServerKeyExchange } from './key-exchange.ts';
import { masterSecret, type Randoms } from './secrets.ts';
import { checkSignature, ecdsaWithSha256, publicKeyOf, signEcdsa } from './signatures.ts';
import { numberOfProfile, preferredProfiles } from './srtp-profiles.ts';

export class ServerHandshake extends Handshake {
  readonly #hello: ClientHello;
  readonly #randoms: Randoms;
  readonly #share = newKeyShare();
  readonly #profile: ProfileName;
  /** What has to come, in this order. */
  readonly #expected: number[] = [
    messageTypes.certificate,
    messageTypes.clientKeyExchange,
    messageTypes.certificateVerify,
    messageTypes.finished,
  ];
  #peerCertificate: Buffer | null = null;
  #master: Buffer | null = null;

  /** Throws `DtlsFailure` if the client cannot be talked to. */
  constructor(parts: HandshakeParts, message: HandshakeMessage, hello: ClientHello) {
    const profile = profileFor(hello);
    super('server', parts, { received: message.sequence + 1, sent: message.sequence });
    this.#profile = profile;
    this.#hello = hello;
    this.#randoms = { client: Buffer.from(hello.random), server: randomBytes(randomBytesOfHello) };
    this.remember(message);
    this.#answerHello();
  }

  #answerHello(): void {
    const { publicKey } = this.#share;
    const signature = signEcdsa(signedParameters(this.#randoms, publicKey), this.parts.privateKey);
    const { serverHello, certificate, serverKeyExchange, certificateRequest, serverHelloDone } = messageTypes;
    this.sendFlight([
      this.message(serverHello, writeServerHello(this.#randoms.server, this.#hello, numberOfProfile(this.#profile))),
      this.message(certificate, writeCertificate(this.parts.certificate)),
      this.message(serverKeyExchange, writeServerKeyExchange(publicKey, ecdsaWithSha256, signature)),
      this.message(certificateRequest, writeCertificateRequest()),
      this.message(serverHelloDone, Buffer.alloc(0)),
    ]);
  }

  protected override handle({ type, body }: HandshakeMessage, before: Buffer): void {
    if (type !== this.#expected.shift()) throw new DtlsFailure('unexpectedMessage', 'The handshake is out of order');
    if (type === messageTypes.certificate) this.#receiveCertificate(readCertificate(body));
    else if (type === messageTypes.clientKeyExchange) this.#receiveKey(readClientKeyExchange(body));
    else if (type === messageTypes.certificateVerify) this.#receiveProof(body, before);
    else this.#receiveFinished(body, before);
  }

  #receiveCertificate(certificate: Buffer): void {
    if (!this.parts.isExpected(certificate)) {
      throw new DtlsFailure('badCertificate', 'The certificate of the peer is not the one that it described');
    }
    this.#peerCertificate = certificate;
  }

  #receiveKey(theirs: Buffer): void {
    const isExtended = this.#hello.extensions.has(extensionTypes.extendedMasterSecret);
    this.#master = masterSecret(agree(this.#share, theirs), this.#randoms, isExtended ? this.said : null);
  }

  #receiveProof(body: Buffer, before: Buffer): void {
    const { algorithm, signature } = readCertificateVerify(body);
    if (this.#peerCertificate === null || this.#master === null) throw new Error('a message was skipped');
    checkSignature(publicKeyOf(this.#peerCertificate), algorithm, before, signature);
    this.useSecret(this.#master, this.#randoms);
  }

  #receiveFinished(body: Buffer, before: Buffer): void {
    if (this.#master === null) throw new Error('a message was skipped');
    this.checkFinished(this.#master, body, before);
    this.sendFlight([this.changeCipherSpec(), this.finished(this.#master)], true);
    this.connect(this.#master, this.#randoms, this.#profile);
  }
}

function profileFor({ cipherSuites: suites, extensions }: ClientHello): ProfileName {
  const isPossible =
    suites.includes(cipherSuites.ecdsa) && takesP256(extensions) && takesSignature(extensions, ecdsaWithSha256);
  if (!isPossible) throw new DtlsFailure('handshakeFailure', 'The peer takes none of our ciphers');
  const theirs = srtpProfilesOf(extensions);
  const profile = preferredProfiles.find((one) => theirs.includes(numberOfProfile(one)));
  if (profile === undefined) throw new DtlsFailure('handshakeFailure', 'The peer takes none of our SRTP profiles');
  return profile;
}
