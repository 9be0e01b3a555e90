/**
 * A network behind a symmetric NAT, as a mobile operator has one: two network namespaces, the NAT and what is behind
 * it, joined with this machine. Each destination sees a port of its own, and only a destination can send back.
 */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface HiddenNetwork {
  /** Addresses of this machine, of the NAT as this machine sees it, and of what is behind it. */
  readonly machine: string;
  readonly nat: string;
  readonly inside: string;
  /** Words before a command that runs behind the NAT. */
  readonly command: readonly [string, ...string[]];
  close(): Promise<void>;
}

export async function openHiddenNetwork(): Promise<HiddenNetwork> {
  const [third, fourth] = [randomInt(256), 4 * randomInt(64)];
  const id = `${third.toString(16)}x${fourth.toString(16)}`;
  const [gate, hidden] = [`tl-nat-${id}`, `tl-in-${id}`];
  const [outer, wan, lan, own] = [`tlo${id}`, `tlw${id}`, `tll${id}`, `tli${id}`];
  // A network for benchmarks (RFC 2544), which no machine has otherwise; and a private one.
  const [machine, nat] = [`198.18.${third}.${fourth + 1}`, `198.18.${third}.${fourth + 2}`];
  const [router, inside] = [`10.${third}.${fourth}.1`, `10.${third}.${fourth}.2`];
  const close = async () => {
    for (const words of [`link del ${outer}`, `netns del ${gate}`, `netns del ${hidden}`]) {
      await ip(words).catch(() => undefined);
    }
  };
  try {
    for (const words of [
      ...[`netns add ${gate}`, `netns add ${hidden}`],
      ...[`link add ${outer} type veth peer name ${wan} netns ${gate}`],
      ...[`-n ${gate} link add ${lan} type veth peer name ${own} netns ${hidden}`],
      ...[`addr add ${machine}/30 dev ${outer}`, `link set ${outer} up`],
      ...[`-n ${gate} addr add ${nat}/30 dev ${wan}`, `-n ${gate} link set ${wan} up`],
      ...[`-n ${gate} addr add ${router}/24 dev ${lan}`, `-n ${gate} link set ${lan} up`],
      ...[`-n ${hidden} addr add ${inside}/24 dev ${own}`, `-n ${hidden} link set ${own} up`],
      ...[`-n ${hidden} link set lo up`, `-n ${hidden} route add default via ${router}`],
    ]) {
      await ip(words);
    }
    const rule = `add rule ip nat out oifname "${wan}" masquerade fully-random`;
    const chain = 'add chain ip nat out { type nat hook postrouting priority 100; }';
    await run('ip', ['netns', 'exec', gate, 'nft', ['add table ip nat', chain, rule].join('; ')]);
    await run('ip', ['netns', 'exec', gate, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
  } catch (error) {
    await close();
    throw new Error('Tests of NAT make network namespaces with iproute2 and nftables, which only root may.', {
      cause: error,
    });
  }
  return { machine, nat, inside, command: ['ip', 'netns', 'exec', hidden], close };
}

const ip = (words: string) => run('ip', words.split(' '));
