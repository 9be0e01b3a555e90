/** One world, with everything that a test does in it. */
import { readFile, writeFile } from 'node:fs/promises';
import { controlOf, queryOf, transferOf } from './control.js';

/** Makes a snapshot of a file; worlds can be made from its name. */
export async function loadSnapshot(server, file, name) {
  await transferOf(server.url, server.apiKey)('PUT', `/snapshots/${encodeURIComponent(name)}`, await readFile(file));
  return { name };
}

export async function makeWorld(server, { from = 'demo', name, sip } = {}) {
  const root = controlOf(server.url, server.apiKey);
  // Members that are undefined are left out of the JSON.
  const made = await root('POST', '/worlds', { from, name, sip });
  const control = controlOf(made.url, made.api_key);
  const transfer = transferOf(server.url, server.apiKey);
  const find =
    (path, member) =>
    async (query = {}) =>
      (await control('GET', `${path}${queryOf(query)}`))[member];
  const messages = find('/messages', 'messages');
  const deliveries = find('/deliveries', 'deliveries');
  return {
    id: made.id,
    url: made.url,
    apiKey: made.api_key,
    otp: made.otp_application,
    sip: made.sip ?? null,
    clock: clockOf(control),
    inbox: {
      list: messages,
      /** The newest message to a number, which may still be on its way. */
      async waitFor(destination, { wait = 10 } = {}) {
        const [message] = await messages({ destination: destination.replace(/^\+/, ''), wait });
        if (message === undefined) throw new Error(`No message to ${destination} arrived in ${wait} seconds.`);
        return message;
      },
    },
    calls: {
      place: (call) => control('POST', '/calls', call),
      hangUp: (id) => control('POST', `/calls/${id}/hangup`, {}),
      list: find('/calls', 'calls'),
    },
    events: { list: deliveries, waitFor: (isWanted, options) => waitFor(deliveries, isWanted, options) },
    requests: find('/requests', 'requests'),
    timeline: (query = {}) => control('GET', `/timeline${queryOf(query)}`),
    faults: {
      add: (fault) => control('POST', '/faults', fault),
      list: find('/faults', 'faults'),
      remove: (id) => control('DELETE', `/faults/${id}`),
      clear: () => control('DELETE', '/faults'),
    },
    review: (type, id, decision) => control('POST', `/${type}/${id}/decision`, decision),
    seed: (records) => control('POST', '/seed', records),
    snapshot: (name) => root('POST', '/snapshots', { name, world: made.id }),
    /** Writes the state of this world to a file, for other machines and for a repository. */
    async saveSnapshot(file) {
      const name = `file-${made.id}`;
      await root('POST', '/snapshots', { name, world: made.id });
      try {
        await writeFile(file, await transfer('GET', `/snapshots/${name}`));
      } finally {
        await root('DELETE', `/snapshots/${name}`);
      }
    },
    reset: () => root('POST', `/worlds/${made.id}/reset`, {}),
    end: () => root('DELETE', `/worlds/${made.id}`),
  };
}

function clockOf(control) {
  const move = async (body) => new Date((await control('POST', '/clock', body)).now);
  return {
    now: async () => new Date((await control('GET', '/clock')).now),
    advance: (seconds) => move({ advance_seconds: seconds }),
    runTo: (time) => move({ to: new Date(time).toISOString() }),
    untilIdle: (withinSeconds) => move({ until: 'idle', within_seconds: withinSeconds }),
    setFactor: (factor) => move({ factor }),
  };
}

const lookEveryMs = 50;

async function waitFor(list, isWanted, { wait = 10 } = {}) {
  const deadline = performance.now() + wait * 1000;
  for (;;) {
    const found = (await list()).find(isWanted);
    if (found !== undefined) return found;
    if (performance.now() >= deadline) throw new Error(`Nothing that was waited for came in ${wait} seconds.`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
