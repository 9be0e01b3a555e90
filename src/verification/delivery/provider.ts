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

/** Notes that sending begins. Rejects with `DeliveryWithdrawn` when there is nothing to send any more. */
export type Begin = () => Promise<void>;

export interface DeliveryProvider {
  /**
   * Awaits `begin` as late as it can, right before the first byte of the message leaves: a process that is killed before
   * it has surely sent nothing. Resolves with the provider's names for what it took, if it gives any.
   */
  send(message: OutgoingMessage, begin: Begin): Promise<string[]>;
  close(): Promise<void>;
}

/** Surely not sent: another provider may be asked. */
export class DeliveryRefused extends Error {}

/** Perhaps sent: nobody else is asked, or the number might get two messages. */
export class DeliveryUnknown extends Error {}

/** The record no longer waits for a message, or another process sends it. Nothing was sent here. */
export class DeliveryWithdrawn extends Error {}
