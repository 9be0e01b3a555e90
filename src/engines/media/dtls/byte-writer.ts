/** Numbers and vectors of handshake messages. */

export function number(value: number, bytes: 1 | 2 | 3): Buffer {
  const written = Buffer.alloc(bytes);
  written.writeUIntBE(value, 0, bytes);
  return written;
}

/** What follows its own length. */
export function vector(lengthBytes: 1 | 2 | 3, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([number(content.length, lengthBytes), content]);
}

export const numbers = (lengthBytes: 1 | 2, values: readonly number[]): Buffer =>
  vector(lengthBytes, ...values.map((value) => number(value, 2)));
