/** Operators of a test server, each with a client for /operator/v1 that checks every answer. */
import type { OperatorRole } from '../../src/engines/db/tables/operators.ts';
import { byBootstrap } from '../../src/interfaces/operator/act.ts';
import {
  createOperator,
  createOperatorKey,
  type NewOperatorKey,
} from '../../src/interfaces/operator/operators.writes.ts';
import { ApiClient } from './client.ts';
import { operatorsDocument } from './documents.ts';
import type { TestServer } from './server.ts';

export interface TestOperator {
  id: string;
  email: string;
  key: string;
  keyId: string;
  client: ApiClient;
}

let made = 0;

export async function addOperator(
  { env, url }: Pick<TestServer, 'env' | 'url'>,
  role: OperatorRole = 'owner',
  options: Partial<NewOperatorKey> = {},
): Promise<TestOperator> {
  made += 1;
  const email = `${role}-${made}@operator.test`;
  const id = await createOperator(byBootstrap(env), { email, role });
  const { id: keyId, key } = await createOperatorKey(byBootstrap(env), id, { name: 'test', ...options });
  const document = operatorsDocument(env);
  return { id, email, key, keyId, client: new ApiClient({ url, prefix: '/operator/v1', key, document }) };
}
