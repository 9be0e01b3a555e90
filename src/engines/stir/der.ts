/** Reads the few parts of a certificate in DER that Node's own X509Certificate does not show. */

interface DerValue {
  readonly tag: number;
  readonly body: Buffer;
}

/** Tags of the universal types that are read here. */
export const derTag = { boolean: 0x01, integer: 0x02, octets: 0x04, oid: 0x06, ia5: 0x16, sequence: 0x30 } as const;

/** Values of a constructed one; throws a RangeError on anything that is not DER. */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const short = bytes.readUInt8(at + 1);
    const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
    if (short === 0x80 || lengthBytes > 3) throw new RangeError('not a length of DER');
    const length = lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes);
    const start = at + 2 + lengthBytes;
    if (start + length > bytes.length) throw new RangeError('a value of DER ends too late');
    values.push({ tag, body: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return values;
}

/** The content of the extension with this object identifier (its bytes in hex); null if the certificate has none. */
export function extensionOf(certificate: Buffer, oid: string): Buffer | null {
  const [whole] = derValues(certificate);
  const [signed] = whole ? derValues(whole.body) : [];
  const parts = signed ? derValues(signed.body) : [];
  // Extensions are the only part with the tag [3].
  const tagged = parts.find(({ tag }) => tag === 0xa3);
  const [list] = tagged ? derValues(tagged.body) : [];
  for (const { body } of list ? derValues(list.body) : []) {
    const members = derValues(body);
    if (members[0]?.tag === derTag.oid && members[0].body.toString('hex') === oid) {
      return members.find(({ tag }) => tag === derTag.octets)?.body ?? null;
    }
  }
  return null;
}
