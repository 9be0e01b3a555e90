/**
 * Key presses in SIP INFO: to a trunk in the format that it asks for (`tx_dtmf_format_id`), from a trunk only if it is
 * set to send them so (`rx_dtmf_format_id`). Media do not pass through this element, so a key press in RTP stays in
 * RTP, and one in INFO stays in INFO.
 */
import type { Content } from '../../engines/sip/dialog/agent.ts';

export type KeyPressFormat = 'as sent' | 'off' | 'dtmf-relay' | 'dtmf';

const formats: Readonly<Record<number, KeyPressFormat>> = { 0: 'off', 2: 'dtmf-relay', 3: 'dtmf-relay', 4: 'dtmf' };

/** RFC 2833 (1) is what the two ends agree on in their descriptions. */
export const keyPressFormat = (txDtmfFormatId: number | undefined): KeyPressFormat =>
  formats[txDtmfFormatId ?? 1] ?? 'as sent';

/** A trunk whose key presses come in RTP (1) may repeat them in INFO: passed on, each would count twice. */
export const receivedKeyPresses = (rxDtmfFormatId: number | undefined): KeyPressFormat =>
  (rxDtmfFormatId ?? 1) === 1 ? 'off' : 'as sent';

const types = ['application/dtmf-relay', 'application/dtmf'];
/** Milliseconds of a key press whose sender gives no duration. */
const usualDuration = 160;

/** Returns the content in this format, unchanged if it is no key press; null if it is one and none are to be sent. */
export function keyPressIn(format: KeyPressFormat, content: Content | undefined): Content | undefined | null {
  const type = content?.type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (content === undefined || format === 'as sent' || !types.includes(type)) return content;
  if (format === 'off') return null;
  const text = content.body.toString('latin1');
  const key = /^\s*(?:Signal\s*=\s*)?([0-9A-D*#])\s*$/im.exec(text)?.[1];
  if (key === undefined || type === `application/${format}`) return content;
  const duration = /^\s*Duration\s*=\s*(\d{1,5})/im.exec(text)?.[1] ?? usualDuration;
  const body = format === 'dtmf' ? key : `Signal=${key}\r\nDuration=${duration}\r\n`;
  return { type: `application/${format}`, body: Buffer.from(body) };
}
