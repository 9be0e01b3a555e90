/** The ready file, which scripts wait for: it exists while every port accepts requests. */
import { readFile, rm } from 'node:fs/promises';
import { writeAtomically } from '../../base/files.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { SipListeningPorts } from '../../business/b2bua/endpoint.ts';
import { signal } from '../../engines/db/embedded/signal.ts';
import type { EnvironmentName } from '../../engines/environment.ts';

export interface Address {
  /** Ports of SIP; null if it is not served. */
  readonly sip: SipListeningPorts | null;
  readonly url: string;
  /** Where /operator/v1 is; null if it is not served. */
  readonly operatorUrl: string | null;
}

export type Addresses = Partial<Record<EnvironmentName, Address>>;

export async function writeReadyFile(file: string, addresses: Addresses): Promise<void> {
  const environments = Object.fromEntries(
    Object.entries(addresses).map(([name, { url, operatorUrl, sip }]) => [
      name,
      { url, ...(operatorUrl === null ? {} : { operator_url: operatorUrl }), ...(sip === null ? {} : { sip }) },
    ]),
  );
  try {
    await writeAtomically(file, `${JSON.stringify({ pid: process.pid, environments })}\n`);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new OperatorError(`The ready file ${file} cannot be written: ${reason}.`);
  }
}

/** One left by an earlier run would be believed too soon. That of a process that lives is not ours to take away. */
export async function removeStaleReadyFile(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number(/"pid":(\d+)/.exec(text)?.[1]);
  if (!(pid > 0 && signal(pid, 0))) await rm(file, { force: true });
}

export async function removeReadyFile(file: string): Promise<void> {
  await rm(file, { force: true });
}
