/** The embedded media engine in a process of its own, with as many threads as its argument says. */
import { EmbeddedEngine } from '../../src/engines/media/embedded/embedded-engine.ts';
import { machineTimers } from '../../src/engines/sip/timers.ts';
import { joinCalls, type OpenCalls } from '../media/described-calls.ts';
import type { FromRelay, ToRelay } from '../media/messages.ts';

const engine = new EmbeddedEngine({
  ports: null,
  addresses: ['127.0.0.1'],
  threads: Number(process.argv[2]),
  timers: machineTimers,
  log: (problem) => process.stderr.write(`${problem}\n`),
});
let open: OpenCalls | null = null;

const answer = (message: FromRelay): void => void process.send?.(message);

process.on('message', async (request: ToRelay) => {
  await open?.close();
  open = null;
  if (request.kind === 'close') return answer({ kind: 'closed' });
  open = await joinCalls(engine, request.calls);
  answer({ kind: 'joined', calls: open.ports });
});
