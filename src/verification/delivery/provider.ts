/** What delivers a code: one small interface, whoever stands behind it. */
import type { DeliveryMethod } from '../fields.ts';

export interface OutgoingMessage {
  verificationId: string;
  destination: string;
  deliveryMethod: DeliveryMethod;
  /** The message, or what a call says. */
  text: string;
  code: string;
  language: string;
  sender: string;
  /** Minutes for which the code is of use. */
  validityMinutes: number;
}

export interface DeliveryProvider {
  /** Resolves with the provider's names for what it took, if it gives any; see the errors for the rest. */
  send(message: OutgoingMessage): Promise<string[]>;
  close(): Promise<void>;
}

/** Surely not sent: another provider may be asked. */
export class DeliveryRefused extends Error {}

/** Perhaps sent: nobody else is asked, or the number might get two messages. */
export class DeliveryUnknown extends Error {}
