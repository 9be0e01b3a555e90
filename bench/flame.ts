/**
 * Draws a flame graph of a CPU profile: `node bench/flame.ts <profile> <svg>`. The profile comes from a server that was
 * started with `--cpu-prof`; the time it spent waiting is left out.
 */
import { readFile, writeFile } from 'node:fs/promises';

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

interface Flame {
  name: string;
  self: number;
  total: number;
  children: Map<string, Flame>;
}

const width = 1_200;
const rowHeight = 16;
/** Narrower boxes cannot be seen. */
const narrowest = 3;

const [profileFile, svgFile] = process.argv.slice(2);
if (!profileFile || !svgFile) throw new Error('usage: node bench/flame.ts <profile> <svg>');
const root = flameOf(JSON.parse(await readFile(profileFile, 'utf8')));
await writeFile(svgFile, svgOf(root));

/** Frames of the same function below the same caller are one. */
function flameOf({ nodes, samples, timeDeltas }: Profile): Flame {
  const time = new Map<number, number>();
  for (const [index, id] of samples.entries()) time.set(id, (time.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const add = (into: Flame, node: ProfileNode): number => {
    const name = nameOf(node);
    if (name === '(idle)' || name === '(program)') return 0;
    const known = into.children.get(name) ?? { name, self: 0, total: 0, children: new Map() };
    into.children.set(name, known);
    let spent = time.get(node.id) ?? 0;
    known.self += spent;
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) spent += add(known, child);
    }
    known.total += spent;
    return spent;
  };
  const all: Flame = { name: 'all', self: 0, total: 0, children: new Map() };
  const [first] = nodes;
  for (const id of first?.children ?? []) {
    const child = byId.get(id);
    if (child) all.total += add(all, child);
  }
  return all;
}

/** The function and its file within the project, its package, or Node. */
function nameOf({ callFrame: { functionName, url } }: ProfileNode): string {
  const place = /(?:node_modules\/((?:@[^/]+\/)?[^/]+)|\/((?:src|bench)\/.+)|(node:.+))$/.exec(
    url.replace(/(node_modules\/(?:@[^/]+\/)?[^/]+)\/.*/, '$1'),
  );
  return [functionName || '(anonymous)', place?.[1] ?? place?.[2] ?? place?.[3] ?? ''].join(' ').trim();
}

function svgOf(flame: Flame): string {
  const boxes: string[] = [];
  let deepest = 0;
  const draw = (one: Flame, x: number, depth: number): void => {
    const wide = (one.total / flame.total) * width;
    if (wide < narrowest) return;
    deepest = Math.max(deepest, depth);
    const share = `${((one.total / flame.total) * 100).toFixed(1)} %`;
    const label = one.name.slice(0, Math.floor(wide / 7));
    boxes.push(
      `<g><title>${escaped(one.name)}, ${share}</title><rect x="${x.toFixed(1)}" y="${depth * rowHeight}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(one.name)}"/>${label.length > 2 ? `<text x="${(x + 2).toFixed(1)}" y="${depth * rowHeight + 12}">${escaped(label)}</text>` : ''}</g>`,
    );
    let at = x;
    for (const child of [...one.children.values()].sort((left, right) => right.total - left.total)) {
      draw(child, at, depth + 1);
      at += (child.total / flame.total) * width;
    }
  };
  draw(flame, 0, 0);
  const height = (deepest + 1) * rowHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">\n<title>Flame graph</title>\n${boxes.join('\n')}\n</svg>\n`;
}

/** Our own code, packages, and Node apart. */
function colourOf(name: string): string {
  if (/ (?:src|bench)\//.test(name)) return '#f4a261';
  return name.includes(' node:') || name.startsWith('(') ? '#cbd5e1' : '#f9d8a6';
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
