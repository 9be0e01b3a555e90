/** A refusal of what a party says about the protection of its media. */
import { MediaRefused } from '../media-engine.ts';

/** It cannot be used. The message names why, for the other party too. */
export class EncryptionRefused extends MediaRefused {}
