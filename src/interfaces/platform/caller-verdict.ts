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

/** How we signed a call on its way to a carrier. */
export const callSignature = {
  signed_as: text({
    nullable: true,
    values: {
      A: 'The number is one of the account that calls.',
      B: 'The account is known, the number is not one of its own.',
      C: 'The call came from elsewhere without a signature.',
      div: 'The call came with a signature, and ours says that it was forwarded.',
    },
    doc: 'How it was signed for the carrier (STIR/SHAKEN); null if it was not.',
  }),
  signed_origid: text({ nullable: true, doc: 'What the signature names as the origin of the call.' }),
};
