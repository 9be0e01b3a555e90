/**
 * One-time codes of authenticator apps (RFC 6238): SHA-1, six digits, steps of 30 seconds, as every app expects them.
 * By hand: one HMAC, by the environment's clock, where libraries take the machine's.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const stepSeconds = 30;
const digits = 6;
/** Clocks of phones may be off by one step either way. */
const drift = [0, -1, 1];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32, which people can type. */
export const newTotpSecret = (): string => toBase32(randomBytes(20));

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export const stepAt = (time: Date): number => Math.floor(time.getTime() / 1000 / stepSeconds);

/** The step that the code belongs to; null if it is wrong, or not newer than the last one that was taken. */
export function matchingStep(secret: string, code: string, time: Date, lastStep: number): number | null {
  const given = Buffer.from(code.replace(/\s/g, ''));
  const steps = drift.map((away) => stepAt(time) + away).filter((step) => step > lastStep);
  const found = steps.find((step) => {
    const expected = Buffer.from(totpCode(secret, step));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return found ?? null;
}

/** What an app reads from a QR code. */
export const totpUri = (secret: string, issuer: string, login: string): string =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(login)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
