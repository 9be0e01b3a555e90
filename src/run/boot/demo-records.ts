/**
 * Makes the example records of the demo account on a first start, and continues on a later start if that one was
 * stopped or killed before it was done. Each record that was made is a line in a file, which is deleted after the last
 * one.
 */
import { appendFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../engines/environment.ts';
import type { Demo } from '../../interfaces/bootstrap/demo.ts';
import type { DemoAccess } from '../../interfaces/server/docs/demo-access.ts';
import { addDemoRecords } from './demo.ts';
import { demoClient, type Once } from './demo-client.ts';
import { addDemoPapers } from './demo-papers.ts';

interface DemoRecords {
  /** What exists before the server listens: a fraction of a second. */
  addFirst(): Promise<void>;
  /** What waits for jobs and for the encryption keys, which take seconds to generate. */
  addOthers(): Promise<void>;
}

/** Null if the account has all its records, or if this server is not one that shows them. */
export async function openDemoRecords(
  env: Environment,
  app: FastifyInstance,
  demo: Demo | undefined,
  access: Pick<DemoAccess, 'apiKey' | 'application'> | null,
  signal: AbortSignal,
): Promise<DemoRecords | null> {
  const file = demo?.recordsFile ?? '';
  const made = await readFile(file, 'utf8').catch(() => null);
  if (made === null) return null;
  // The account of a server that strangers can reach gets no records, also not on a later start.
  if (access === null) await rm(file);
  if (access === null) return null;

  const api = demoClient(app, access, onceOf(file, made), signal);
  let hasFailed = false;
  const part = async (work: () => Promise<void>): Promise<void> => {
    if (hasFailed) return;
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      // Not tried again: what is missing may be what somebody has changed meanwhile.
      hasFailed = true;
      env.log.warn({ err: error }, 'the demo account lacks records');
      await rm(file);
    }
  };
  return {
    addFirst: () => part(() => addDemoRecords(api, env)),
    addOthers: () =>
      part(async () => {
        await addDemoPapers(api);
        await rm(file);
      }),
  };
}

/** Steps come in the same order in every start, so the n-th step of a kind is the n-th line of that kind. */
function onceOf(file: string, text: string): Once {
  const made = new Map<string, string[]>();
  // A line that was cut off by a crash counts as missing.
  for (const [, step = '', id = ''] of text.matchAll(/^(\S+) (\S+)\n/gm)) {
    made.set(step, [...(made.get(step) ?? []), id]);
  }
  return async (step, make) => {
    const known = made.get(step)?.shift();
    if (known !== undefined) return known;
    const id = await make();
    appendFileSync(file, `${step} ${id}\n`);
    return id;
  };
}
