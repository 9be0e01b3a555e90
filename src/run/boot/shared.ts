/** What the environments of a process share. */
import type { Turns } from '../../interfaces/server/turns.ts';
import type { Config } from '../config/types.ts';
import type { ProcessMedia } from './media.ts';

export interface Shared {
  config: Config;
  media: ProcessMedia;
  /** Of the requests at all its ports. */
  turns: Turns;
}
