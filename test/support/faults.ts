/** Lets something go wrong once in a test environment, as `POST /sandbox/v1/faults` would. */

import type { DomainFault } from '../../src/engines/injected-faults.ts';
import { faultsOf } from '../../src/interfaces/sandbox/control-faults.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';

export async function addFault(
  env: WholeEnvironment,
  accountId: string,
  fault: DomainFault,
  seconds?: number,
): Promise<void> {
  const action = { fault, ...(seconds === undefined ? {} : { seconds }) };
  await faultsOf(env).add(accountId, { match: {}, action, times: 1, probability: 1, seed: null }, env.clock.now());
}
