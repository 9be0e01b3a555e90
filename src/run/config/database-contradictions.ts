/** Settings of databases that contradict each other. */
import { OperatorError } from '../../base/operator-error.ts';
import { databasePlaces } from './database-url.ts';
import type { Config } from './types.ts';

/** The environments share no row. */
export function refuseOneDatabaseForBoth({ environments: { production, sandbox } }: Config): void {
  if (production.databaseUrl === null || sandbox.databaseUrl === null) return;
  const others = databasePlaces(sandbox.databaseUrl);
  if (databasePlaces(production.databaseUrl).some((place) => others.includes(place))) {
    throw new OperatorError('DATABASE_URL and SANDBOX_DATABASE_URL must name two different databases.');
  }
}

/** Each environment by itself: the pooler of one says nothing about the other. */
export function refuseWithoutPrimary({ environments }: Config): void {
  for (const [name, variable] of [
    ['production', 'DATABASE'],
    ['sandbox', 'SANDBOX_DATABASE'],
  ] as const) {
    const { databaseUrl, databaseDirectUrl, databaseReplicaUrls } = environments[name];
    if (databaseReplicaUrls.length > 0 && databaseUrl === null)
      throw new OperatorError(`${variable}_REPLICA_URL needs ${variable}_URL, the address of the primary.`);
    if (databaseDirectUrl !== null && databaseUrl === null)
      throw new OperatorError(`${variable}_DIRECT_URL needs ${variable}_URL, the address of the pooler.`);
  }
}
