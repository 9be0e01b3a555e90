/** An attended transfer between two calls of this process: the other call that a Replaces names (RFC 3891). */
import type { LegSettings } from '../../engines/media/media-engine.ts';
import { dialogKey } from '../../engines/sip/dialog/dialog.ts';
import type { Session } from '../../engines/sip/dialog/session.ts';
import type { CallMedia } from './call-media.ts';
import type { Party } from './parties.ts';

/** What two calls have in common after the transfer. */
interface SharedMedia {
  readonly media: CallMedia;
  /** The party that stays, and the one that takes the customer's place. */
  readonly party: Party;
  readonly other: Party;
}

/** The call whose customer has asked to be replaced. */
export interface ReplacedCall {
  /** The party that stays, and how its media are treated. */
  readonly session: Session;
  readonly settings: LegSettings;
  /** Lets the customer go. The media of this call go on as those of the other one. */
  joinedBy(shared: SharedMedia): void;
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
