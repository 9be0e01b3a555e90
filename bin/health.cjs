/** For the health check of a container: ends with 0 if the process in it responds, on whichever port it serves. */
'use strict';

const ports = [process.env.TRUNKLINE_PORT || '8080', process.env.TRUNKLINE_SANDBOX_PORT || '8081'];
const port = ports.find((value) => /^\d+$/.test(value));
fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_500) }).then(
  (response) => process.exit(response.ok ? 0 : 1),
  () => process.exit(1),
);
