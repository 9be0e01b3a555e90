/** The active side of a handshake. */
import { randomBytes } from 'node:crypto';
import type { ProfileName } from '../srtp/profiles.ts';
import { DtlsFailure } from './alert.ts';
import { ByteReader } from './byte-reader.ts';
import { readCertificate, writeCertificate, writeCertificateVerify } from './certificate-messages.ts';
import { cipherSuites, extensionTypes, messageTypes } from './constants.ts';
import { Handshake, type HandshakeParts } from './handshake.ts';
import type { HandshakeMessage } from './handshake-message.ts';
import { randomBytesOfHello, readServerHello, type ServerHello, srtpProfilesOf, writeClientHello } from './hello.ts';
import { agree, newKeyShare, readServerKeyExchange, signedParameters, writeClientKeyExchange } from './key-exchange.ts';
import { masterSecret, type Randoms } from './secrets.ts';
import { checkSignature, ecdsaWithSha256, publicKeyOf, signEcdsa } from './signatures.ts';
import { numberOfProfile, preferredProfiles, profileOfNumber } from './srtp-profiles.ts';

/** What the server has said so far. */
interface Heard {
  hello: ServerHello;
  profile: ProfileName;
  certificate: Buffer | null;
  publicKey: Buffer | null;
  asksForCertificate: boolean;
}

const {
  helloVerifyRequest,
  serverHello,
  certificate,
  serverKeyExchange,
  certificateRequest,
  serverHelloDone,
  finished,
} = messageTypes;
const offered = preferredProfiles.map(numberOfProfile);

/** Which messages may follow one. */
const following = new Map<number, readonly number[]>([
  [0, [helloVerifyRequest, serverHello]],
  [helloVerifyRequest, [serverHello]],
  [serverHello, [certificate]],
  [certificate, [serverKeyExchange]],
  [serverKeyExchange, [certificateRequest, serverHelloDone]],
  [certificateRequest, [serverHelloDone]],
  [serverHelloDone, [finished]],
]);

export class ClientHandshake extends Handshake {
  readonly #random = randomBytes(randomBytesOfHello);
  #last = 0;
  #heard: Heard | null = null;
  #master: Buffer | null = null;

  constructor(parts: HandshakeParts) {
    super('client', parts, { received: 0, sent: 0 });
    this.#sayHello(Buffer.alloc(0));
  }

  #sayHello(cookie: Buffer): void {
    this.forgetAll();
    this.sendFlight([this.message(messageTypes.clientHello, writeClientHello(this.#random, cookie, offered))]);
  }

  protected override handle({ type, body }: HandshakeMessage, before: Buffer): void {
    if (!following.get(this.#last)?.includes(type)) {
      throw new DtlsFailure('unexpectedMessage', 'The handshake is out of order');
    }
    this.#last = type;
    if (type === helloVerifyRequest) this.#sayHello(readCookie(body));
    else if (type === serverHello) this.#heard = hearHello(readServerHello(body));
    else if (type === finished) this.#receiveFinished(body, before);
    else this.#hear(type, body, this.#heard ?? skipped());
  }

  #hear(type: number, body: Buffer, heard: Heard): void {
    if (type === certificate) heard.certificate = this.#expected(readCertificate(body));
    else if (type === serverKeyExchange) heard.publicKey = this.#checkedKey(body, heard);
    else if (type === certificateRequest) heard.asksForCertificate = true;
    else this.#answer(heard);
  }

  #expected(shown: Buffer): Buffer {
    if (this.parts.isExpected(shown)) return shown;
    throw new DtlsFailure('badCertificate', 'The certificate of the peer is not the one that it described');
  }

  #randoms({ hello }: Heard): Randoms {
    return { client: this.#random, server: hello.random };
  }

  /** The peer's key for this exchange, signed with the key of its certificate. */
  #checkedKey(body: Buffer, heard: Heard): Buffer {
    const { publicKey, algorithm, signature } = readServerKeyExchange(body);
    const key = publicKeyOf(heard.certificate ?? skipped());
    checkSignature(key, algorithm, signedParameters(this.#randoms(heard), publicKey), signature);
    return publicKey;
  }

  #answer(heard: Heard): void {
    const { asksForCertificate, hello } = heard;
    const share = newKeyShare();
    const own = asksForCertificate ? [this.message(certificate, writeCertificate(this.parts.certificate))] : [];
    const key = this.message(messageTypes.clientKeyExchange, writeClientKeyExchange(share.publicKey));
    const agreed = agree(share, heard.publicKey ?? skipped());
    const isExtended = hello.extensions.has(extensionTypes.extendedMasterSecret);
    const master = masterSecret(agreed, this.#randoms(heard), isExtended ? this.said : null);
    const proof = () => writeCertificateVerify(ecdsaWithSha256, signEcdsa(this.said, this.parts.privateKey));
    const proofs = asksForCertificate ? [this.message(messageTypes.certificateVerify, proof())] : [];
    this.#master = master;
    this.useSecret(master, this.#randoms(heard));
    this.sendFlight([...own, key, ...proofs, this.changeCipherSpec(), this.finished(master)]);
  }

  #receiveFinished(body: Buffer, before: Buffer): void {
    const [master, heard] = [this.#master ?? skipped(), this.#heard ?? skipped()];
    this.checkFinished(master, body, before);
    this.connect(master, this.#randoms(heard), heard.profile);
  }
}

/** The table above does not let it happen. */
function skipped(): never {
  throw new Error('a message was skipped');
}

function readCookie(body: Buffer): Buffer {
  const reader = new ByteReader(body);
  reader.take(2);
  const cookie = reader.vector(1);
  reader.end();
  return cookie;
}

function hearHello(hello: ServerHello): Heard {
  const suites: readonly number[] = Object.values(cipherSuites);
  if (!suites.includes(hello.cipherSuite)) {
    throw new DtlsFailure('illegalParameter', 'The peer takes a cipher that was not offered');
  }
  const [number, ...more] = srtpProfilesOf(hello.extensions);
  const profile = profileOfNumber(number);
  if (profile === null || more.length > 0) {
    throw new DtlsFailure('illegalParameter', 'The peer takes an SRTP profile that was not offered');
  }
  const copy = { ...hello, random: Buffer.from(hello.random) };
  return { hello: copy, profile, certificate: null, publicKey: null, asksForCertificate: false };
}
