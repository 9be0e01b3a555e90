/** What the signature of a caller proved, as the panel and operators see it with an inbound call. */
import { text } from '../../engines/jsonapi/attributes.ts';

export const callerVerdict = {
  caller_verdict: text({
    nullable: true,
    values: {
      passed: 'Who signed vouches for the number of the caller.',
      failed: 'What came with the call does not prove its caller.',
      none: 'The call was not signed, or could not be checked.',
    },
    doc: 'Whether the caller is verified (STIR/SHAKEN); null where callers are not verified.',
  }),
  caller_attestation: text({
    nullable: true,
    values: {
      A: 'The number is of a customer of the signer.',
      B: 'The signer knows the customer, not the number.',
      C: 'The signer passes a call on that came from elsewhere.',
    },
    doc: 'How far the signer vouches for it.',
  }),
  caller_signer: text({ nullable: true, doc: 'Who signed, by its certificate.' }),
  caller_verdict_reason: text({ nullable: true, doc: 'Why nothing is proven.' }),
};
