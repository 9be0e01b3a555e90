/**
 * Looks up the name of a caller: the operator's own list first, then the name service if there is one. A call waits for
 * no longer than the time limit, and without a name it goes on as it came. The sandbox has the list only: nothing of it
 * reaches others.
 */
import type { Environment, Once } from '../../../engines/environment.ts';
import { httpNames } from './http-names.ts';
import { listedNames } from './listed-names.ts';
import { cleanName, type NameProvider } from './name-provider.ts';

const keptMs = 24 * 3_600_000;
/** A number without a name may get one. */
const unknownKeptMs = 3_600_000;

/** After so many failures in a row a provider is left alone for a while: a dead one must not delay every call. */
const failuresUntilPause = 3;
const pauseMs = 10_000;

export interface FoundName {
  name: string;
  /** The provider that knew it, for traces. */
  from: string;
}

type Names = (number: string) => Promise<FoundName | null>;

/** One per process and environment. */
export interface WithNames {
  readonly names: Once<Names>;
}

export function namesOf(env: Environment & WithNames): Names {
  env.names.made ??= createNames(env);
  return env.names.made;
}

function createNames(env: Environment): Names {
  const service = env.name === 'production' ? env.calls.names : null;
  const providers = [listedNames(env), ...(service === null ? [] : [httpNames(env, service)])].map((provider) =>
    patient(env, provider.isCached ? cached(env, provider) : provider, service?.timeoutMs ?? listMs),
  );
  return async (number) => {
    for (const { name: from, nameOf } of providers) {
      const found = await nameOf(number);
      const name = found === null ? null : cleanName(found);
      if (name !== null) return { name, from };
    }
    return null;
  };
}

/** The list is the database, which has its own limits. */
const listMs = 2_000;

/** Never rejects, and never takes longer than the limit. */
function patient(env: Environment, provider: NameProvider, limitMs: number) {
  let failures = 0;
  let pausedUntil = 0;
  return {
    name: provider.name,
    async nameOf(number: string): Promise<string | null> {
      if (performance.now() < pausedUntil) return null;
      const signal = AbortSignal.timeout(limitMs);
      const tooLate = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => tooLate.reject(new Error(`no answer in ${limitMs} ms`)));
      try {
        const name = await Promise.race([provider.nameOf(number, signal), tooLate.promise]);
        failures = 0;
        return name;
      } catch (error) {
        failures += 1;
        if (failures >= failuresUntilPause) pausedUntil = performance.now() + pauseMs;
        const reason = error instanceof Error ? error.message : String(error);
        env.log.warn({ provider: provider.name, reason }, "a caller's name could not be looked up");
        return null;
      } finally {
        tooLate.promise.catch(() => undefined);
      }
    },
  };
}

/** What it said is kept in the database, for all processes. */
function cached(env: Environment, provider: NameProvider): NameProvider {
  const { db, clock } = env;
  return {
    ...provider,
    async nameOf(number, signal) {
      const known = await db
        .selectFrom('caller_name_cache')
        .select('name')
        .where('number', '=', number)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      if (known !== undefined) return known.name;
      const found = await provider.nameOf(number, signal);
      const name = found === null ? null : cleanName(found);
      const row = { name, expires_at: new Date(clock.now().getTime() + (name === null ? unknownKeptMs : keptMs)) };
      await db
        .insertInto('caller_name_cache')
        .values({ number, ...row })
        .onConflict((conflict) => conflict.column('number').doUpdateSet(row))
        .execute();
      return name;
    },
  };
}

/** Names that would be asked for again are personal data without a use. */
export async function forgetNames({ db, clock }: Environment): Promise<void> {
  await db.deleteFrom('caller_name_cache').where('expires_at', '<=', clock.now()).execute();
}
