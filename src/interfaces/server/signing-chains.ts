/**
 * `/stir/{id}.pem`: the certificates with which calls are signed, for everybody who gets such a call. Kept in memory,
 * since anybody may ask for any file.
 */
import type { FastifyInstance } from 'fastify';
import { chainPath, listSigningCertificates } from '../../business/caller-identity/signing-certificates.ts';
import { keepUntilChanged } from '../../engines/db/kept.ts';
import type { Environment } from '../../engines/environment.ts';
import { registerPage } from './pages.ts';

/** By path. */
type Chains = ReadonlyMap<string, string>;

export async function signingChainsRoom(app: FastifyInstance, env: Environment): Promise<void> {
  const kept = keepUntilChanged<Chains>(env.changes, { outdatedBy: { signing_certificates: () => true } });
  registerPage(app, '/stir/:file', async (request, reply) => {
    const { file } = request.params as { file: string };
    const chain = (await kept.read('all', () => chainsOf(env))).get(`/stir/${file}`);
    if (chain === undefined) return reply.code(404).send({ error: 'Not found' });
    return reply.header('cache-control', 'public, max-age=86400').type('application/pem-certificate-chain').send(chain);
  });
}

/** Those whose address is one of this server; others are somewhere else. */
async function chainsOf(env: Environment): Promise<Chains> {
  const all = await listSigningCertificates(env);
  const own = all.filter(({ id, url }) => url.endsWith(chainPath(id)));
  return new Map(own.map(({ id, chain }) => [chainPath(id), chain]));
}
