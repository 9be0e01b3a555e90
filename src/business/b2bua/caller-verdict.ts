/** Who calls, as far as the Identity headers of an INVITE prove it: for the trunk, the CDR and the trace. */
import type { SipRequest } from '../../engines/sip/message/message.ts';
import type { CallFacts } from '../../engines/stir/identity-header.ts';
import type { Verdict } from '../../engines/stir/verify.ts';
import type { CallerVerdict } from '../voice/inbound/call.ts';
import { signedCaller } from './identity.ts';

/** What the headers must say to be about this call. */
export function factsOf(request: SipRequest, didNumber: string): CallFacts {
  const date = Date.parse(request.headers.first('Date') ?? '');
  return {
    orig: signedCaller(request),
    dest: { tn: [didNumber] },
    date: Number.isNaN(date) ? null : Math.floor(date / 1000),
  };
}

/** As a call keeps it. */
export function storedVerdict(verdict: Verdict): CallerVerdict {
  if (verdict.result === 'passed') {
    const { result, attest: attestation, signer } = verdict;
    return { result, attestation, signer, reason: null };
  }
  return { result: verdict.result, attestation: null, signer: null, reason: verdict.reason };
}

/** As a trace tells it. */
export function verdictText(verdict: Verdict): string {
  switch (verdict.result) {
    case 'passed': {
      const level = verdict.attest === null ? 'vouches for it' : `attests ${verdict.attest}`;
      const way = verdict.diverted.map((number) => `, forwarded from ${number}`).join('');
      return `the caller is verified: ${verdict.signer} ${level}${way}`;
    }
    case 'failed':
      return `the caller is not verified: ${verdict.reason}`;
    case 'none':
      return `the caller could not be verified: ${verdict.reason}`;
  }
}
