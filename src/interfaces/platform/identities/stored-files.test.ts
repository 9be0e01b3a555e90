/** Which files a record may take over. */
import { beforeAll, expect, test } from 'vitest';
import { uploadedFile } from '../../../../test/support/encrypted-upload.ts';
import { engineContext } from '../../../../test/support/engine-context.ts';
import { link, makeIdentity, makeProof } from '../../../../test/support/paperwork.ts';
import { startTestServer, type TestAccount } from '../../../../test/support/server.ts';
import { loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { createAuthenticator } from '../../../business/accounts/authenticate.ts';
import { loadRequirements } from '../../../business/catalogue/requirements/load-requirements.ts';
import type { PlatformContext } from '../context.ts';
import { keepFiles } from './stored-files.ts';

const server = useOpened(() => startTestServer());
let other: TestAccount;
beforeAll(async () => {
  other = await server.addAccount();
  await loadSmallCatalogue(server.env);
  await loadRequirements(server.env.db);
});

async function contextOf(key: string): Promise<PlatformContext> {
  const { env } = server;
  const caller = await createAuthenticator(env)(key, '127.0.0.1');
  if (caller === null) throw new Error('the key is not known');
  const query: PlatformContext['query'] = async (text, values) => (await env.pool.query(text, [...values])).rows;
  const tenant = { accountId: caller.accountId };
  return { ...engineContext({ tenant, now: env.clock.now(), query }), env, db: env.db, caller };
}

test('only files of the own account are kept, whoever let the ids through', async () => {
  const file = await uploadedFile(server, server.key);
  const identity = link('identities', await makeIdentity(server.client));
  const proofId = await makeProof(server, server, identity, ['Personal', 'Passport']);
  const keep = async (key: string) => {
    const context = await contextOf(key);
    return server.env.db
      .transaction()
      .execute((trx) => keepFiles(trx, context, 'files', [link('encrypted_files', file)], { proof_id: proofId }));
  };
  await expect(keep(other.key)).rejects.toThrow('is invalid');
  await keep(server.key);
  const kept = await server.env.db.selectFrom('kept_files').select('id').where('proof_id', '=', proofId).execute();
  expect(kept).toHaveLength(2);
});
