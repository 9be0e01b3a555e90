/** An attended transfer between two calls of this process: the other call that a Replaces names (RFC 3891). */
import { dialogKey } from '../../engines/sip/dialog/dialog.ts';
import type { Session } from '../../engines/sip/dialog/session.ts';

/** The call whose customer has asked to be replaced. */
export interface ReplacedCall {
  /** The party that stays. */
  readonly session: Session;
  /** Lets the customer go; `session` takes the customer's place. */
  joinedBy(session: Session): void;
  /** The transfer failed: the party that stays gets the customer's media again. */
  restore(): void;
}

/**
 * The key of the dialog that the value of a Replaces names, as this end knows it. Its To tag is the tag of this end.
 */
export function replacedDialog(value: string): string {
  const [callId = '', ...parameters] = value.split(';').map((part) => part.trim());
  const tag = (name: string): string =>
    parameters.find((parameter) => parameter.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return dialogKey(callId, tag('to-tag'), tag('from-tag'));
}
