/** Tags, branches, Call-IDs and nonces: unguessable in service, repeatable in a simulation. */
import { randomBytes } from 'node:crypto';

export interface IdSource {
  /** At least 72 random bits as a SIP token. */
  next(): string;
}

export const machineIds: IdSource = {
  next: () => randomBytes(9).toString('base64url'),
};
