/** A relay thread: owns the sockets of its calls, and relays their packets beside what the program's thread does. */
import { parentPort, workerData } from 'node:worker_threads';
import { Outbox } from './outbox.ts';
import { Relay } from './relay.ts';
import type { FromThread, ThreadSettings, ToThread } from './thread-messages.ts';

const settings: ThreadSettings = workerData;
const outbox = new Outbox<FromThread>((messages) => parentPort?.postMessage(messages));
const relay = new Relay(settings, (message) => outbox.add(message));
parentPort?.on('message', (messages: ToThread[]) => {
  for (const message of messages) relay.receive(message);
});
outbox.add({ kind: 'ready' });
