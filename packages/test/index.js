/** Trunkline for tests: a server, and as many worlds of it as there are tests. */
import { openServer } from './server.js';
import { loadSnapshot, makeWorld } from './world.js';

export { TrunklineError } from './control.js';

/** Starts a server (or uses the one of TRUNKLINE_URL and TRUNKLINE_API_KEY) and makes a first world. */
export async function startTrunkline({ from = 'demo', ...options } = {}) {
  const server = await openServer(options);
  try {
    const world = await makeWorld(server, { from });
    return {
      ...world,
      /** The server itself, for other processes: TRUNKLINE_URL and TRUNKLINE_API_KEY. */
      root: { url: server.url, apiKey: server.apiKey },
      /** Another world of the same server. */
      world: (wanted) => makeWorld(server, wanted),
      /** Makes a snapshot of a file that `saveSnapshot` or `trunkline snapshot save` has written. */
      loadSnapshot: (file, name) => loadSnapshot(server, file, name),
      async close() {
        await world.end();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}
