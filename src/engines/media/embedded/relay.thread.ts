/** A relay thread: owns the sockets of its calls, and relays their packets beside what the program's thread does. */
import { parentPort, workerData } from 'node:worker_threads';
import { Relay } from './relay.ts';
import type { ThreadSettings, ToThread } from './thread-messages.ts';

const settings: ThreadSettings = workerData;
const relay = new Relay(settings, (message) => parentPort?.postMessage(message));
parentPort?.on('message', (message: ToThread) => relay.receive(message));
parentPort?.postMessage({ kind: 'ready' });
