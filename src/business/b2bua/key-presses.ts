/**
 * Key presses of a call: to a trunk as it asks for them (`tx_dtmf_format_id`), from a trunk as it is set to send them
 * (`rx_dtmf_format_id`). Those in SIP INFO are turned into telephone events in RTP (RFC 4733) and back where media pass
 * through an engine that can.
 */
import type { Content } from '../../engines/sip/dialog/agent.ts';

/** `in RTP`: those in INFO too, if the receiver has described telephone events; else they stay as they were sent. */
export type KeyPressFormat = 'as sent' | 'in RTP' | 'off' | 'dtmf-relay' | 'dtmf';

const formats: Readonly<Record<number, KeyPressFormat>> = { 0: 'off', 2: 'dtmf-relay', 3: 'dtmf-relay', 4: 'dtmf' };

export const keyPressFormat = (txDtmfFormatId: number | undefined): KeyPressFormat =>
  formats[txDtmfFormatId ?? 1] ?? 'in RTP';

/** A trunk whose key presses come in RTP (1) may repeat them in INFO: passed on, each would count twice. */
export const receivedKeyPresses = (rxDtmfFormatId: number | undefined): KeyPressFormat =>
  (rxDtmfFormatId ?? 1) === 1 ? 'off' : 'in RTP';

const types = ['application/dtmf-relay', 'application/dtmf'];
/** Milliseconds of a key press whose sender gives no duration. */
const usualDuration = 160;

export interface KeyPress {
  readonly key: string;
  readonly durationMs: number;
}

/** Null if the content is none, or none that can be read. */
export function readKeyPress(content: Content | undefined): KeyPress | null {
  if (content === undefined || !isOfKeyPress(content)) return null;
  const text = content.body.toString('latin1');
  const key = /^\s*(?:Signal\s*=\s*)?([0-9A-D*#])\s*$/im.exec(text)?.[1];
  if (key === undefined) return null;
  const duration = /^\s*Duration\s*=\s*(\d{1,5})/im.exec(text)?.[1];
  return { key: key.toUpperCase(), durationMs: Number(duration ?? usualDuration) };
}

export function keyPressContent(format: 'dtmf-relay' | 'dtmf', { key, durationMs }: KeyPress): Content {
  const body = format === 'dtmf' ? key : `Signal=${key}\r\nDuration=${durationMs}\r\n`;
  return { type: `application/${format}`, body: Buffer.from(body) };
}

/** Returns the content in this format, unchanged if it is no key press; null if it is one and none are to be sent. */
export function keyPressIn(format: KeyPressFormat, content: Content | undefined): Content | undefined | null {
  if (content === undefined || !isOfKeyPress(content)) return content;
  if (format === 'as sent' || format === 'in RTP') return content;
  if (format === 'off') return null;
  const pressed = readKeyPress(content);
  return pressed === null || typeOf(content) === `application/${format}` ? content : keyPressContent(format, pressed);
}

const typeOf = ({ type }: Content): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

const isOfKeyPress = (content: Content): boolean => types.includes(typeOf(content));
