/** A party of a call behind a NAT: a process of its own there, which is told what to do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { HiddenNetwork } from '../support/hidden-network.ts';

export interface HiddenParty {
  offer(): Promise<Buffer>;
  answer(offer: Buffer): Promise<Buffer>;
  accept(answer: Buffer): Promise<void>;
  play(hertz: number): Promise<void>;
  hears(): Promise<number | null>;
  /** Sends an empty packet to each of these ports of the machine, from one socket. */
  knock(address: string, ports: readonly number[]): Promise<void>;
  leave(): Promise<void>;
}

/** What the process is asked; it answers each with its result. */
export type Asked =
  | { act: 'offer' | 'hears' }
  | { act: 'answer' | 'accept'; sdp: string }
  | { act: 'play'; hertz: number }
  | { act: 'knock'; address: string; ports: readonly number[] };

const program = path.join(import.meta.dirname, 'hidden-party.process.ts');

export async function openHiddenParty({ command: [first, ...words], inside }: HiddenNetwork): Promise<HiddenParty> {
  const child = spawn(first, [...words, process.execPath, program, inside], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(() => Promise.reject(new Error('the hidden party has ended')));
  exited.catch(() => undefined);
  await Promise.race([once(child, 'message'), exited]);
  const ask = async (asked: Asked): Promise<unknown> => {
    const answered = once(child, 'message');
    child.send(asked);
    const [result] = await Promise.race([answered, exited]);
    return result;
  };
  const description = async (asked: Asked) => Buffer.from(String(await ask(asked)));
  return {
    offer: () => description({ act: 'offer' }),
    answer: (offer) => description({ act: 'answer', sdp: String(offer) }),
    accept: async (answer) => void (await ask({ act: 'accept', sdp: String(answer) })),
    play: async (hertz) => void (await ask({ act: 'play', hertz })),
    hears: async () => {
      const heard = await ask({ act: 'hears' });
      return typeof heard === 'number' ? heard : null;
    },
    knock: async (address, ports) => void (await ask({ act: 'knock', address, ports })),
    leave: async () => {
      child.kill('SIGKILL');
      await exited.catch(() => undefined);
    },
  };
}
