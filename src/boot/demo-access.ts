/** Whether the pages of this server may fill in the demo account's credentials: only where no stranger can reach them. */
import type { Demo } from '../bootstrap/demo.ts';
import { readBootstrapFile } from '../bootstrap/parse.ts';
import type { Config } from '../config/types.ts';
import type { Environment } from '../environment.ts';
import type { DemoAccess } from '../server/docs/demo-access.ts';

type Credentials = Omit<DemoAccess, 'recordsMade'>;

export async function demoAccessOf(
  demo: Demo | undefined,
  { name, publicUrl }: Pick<Environment, 'name' | 'publicUrl'>,
  config: Pick<Config, 'host' | 'trustedProxies'>,
): Promise<Credentials | null> {
  const isPrivate = isLoopback(config.host) && publicUrl === null && config.trustedProxies.length === 0;
  if (!isPrivate || demo === undefined) return null;
  const [account] = (demo.made ?? (await readBootstrapFile(demo.file))[name]).accounts;
  const apiKey = account?.api_keys[0]?.key;
  if (apiKey === undefined) return null;
  return { apiKey, application: account?.otp_applications[0] ?? null };
}

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
