-- What the signature of a caller's number proved (STIR/SHAKEN), for calls that came while verification was on.
alter table cdrs_in
  -- 'passed', 'failed', or 'none' for a call that could not be checked or was not signed.
  add column caller_verdict text,
  -- 'A': the number is the signer's customer's; 'B': the customer is known; 'C': the call came from elsewhere.
  add column caller_attestation text,
  -- Who signed, by its certificate.
  add column caller_signer text,
  -- Why nothing is proven, in words.
  add column caller_verdict_reason text;
