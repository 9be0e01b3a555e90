import { MediaRefused } from '../media-engine.ts';

/** How a party describes the protection of its media cannot be used. The message names why, for the other party too. */
export class EncryptionRefused extends MediaRefused {}
