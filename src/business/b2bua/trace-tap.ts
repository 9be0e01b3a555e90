/** Connects what happens on the SIP ports with the traces of calls. */
import { inboundReasons } from '../voice/inbound/refusals.ts';
import { outboundReasons } from '../voice/outbound/decide.ts';
import type { CallRecorder } from '../voice/trace/recorder.ts';
import type { SipTap } from './tap.ts';

/** A source that no carrier has may be a trunk's, so the engine decides and counts. */
const countedOtherwise: ReadonlySet<string> = new Set(['unlisted_source', 'challenged']);

export const traceTap = (recorder: CallRecorder): SipTap => ({
  message: ({ at, direction, bytes, remote, local, callId }) =>
    recorder.message(direction, bytes, remote, local && { ...local, address: local.host }, { callId, at }),
  refused: ({ reason, code, text, remote, from, to, callId, method }) => {
    // The engine counts its own refusals, since it knows whose number or trunk it was; a challenge is none.
    if (inboundReasons.has(reason) || outboundReasons.has(reason) || countedOtherwise.has(reason)) return;
    recorder.refused({
      direction: 'in',
      rule: method === 'INVITE' ? reason : `${method.toLowerCase()}_${reason}`,
      code,
      text,
      sourceAddress: remote.address,
      accountId: null,
      about: null,
      srcNumber: from,
      dstNumber: to,
      carrierName: null,
      callId,
    });
  },
  leg: ({ call, callId, side }) => {
    if (side === 'attempt') recorder.addLeg(call, callId);
  },
});
