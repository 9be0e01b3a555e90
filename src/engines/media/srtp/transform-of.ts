/** The cipher of a master key. */
import { CounterTransform } from './counter-transform.ts';
import { GcmTransform } from './gcm-transform.ts';
import { type MasterKey, profiles } from './profiles.ts';
import { sessionKeys } from './session-keys.ts';
import type { Transform } from './transform.ts';

export function transformOf(master: MasterKey): Transform {
  const rtp = sessionKeys(master, 'rtp');
  const rtcp = sessionKeys(master, 'rtcp');
  const { mode, tagBytes } = profiles[master.profile];
  return mode === 'gcm' ? new GcmTransform(rtp, rtcp) : new CounterTransform(rtp, rtcp, tagBytes);
}
