/** Who imports whom, types included: no circle between files, only the arrows of docs/architecture.md between rooms. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Source file → the source files it imports. Tests may import anything and are left out. */
const imports = new Map(
  ['src', 'scripts'].flatMap(sourceFiles).map((file): [string, string[]] => [file, importsOf(file)]),
);

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`);
}

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const found = text.matchAll(/(?:^import|\bfrom|\bimport\()\s*'(\.[^']+\.ts)'/gm);
  return [...found].map(([, target = '']) => path.posix.join(path.posix.dirname(file), target));
}

/** The folders of src, from the roof to the ground. */
const floors = ['run', 'interfaces', 'business', 'engines', 'base'];

/**
 * A file directly on a floor is a room of its own; so is each group of the platform, and the files directly in
 * platform.
 */
function roomOf(file: string): string {
  const [, floor = '', room = '', group = '', ...deeper] = file.split('/');
  if (!floors.includes(floor)) return floor.replace(/\.ts$/, '');
  return room === 'platform' && deeper.length > 0 ? `platform/${group}` : room.replace(/\.ts$/, '');
}

/** Rows of the table under "Who may import whom": `room` | what it is | `other` `rooms`. */
function drawnArrows(): Map<string, Set<string>> {
  const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const [, section = ''] = text.split('## Who may import whom');
  const rows = section.split('\n## ')[0]?.matchAll(/^\| `([^`]+)` \|[^|]*\|([^|]*)\|$/gm) ?? [];
  const names = (cell: string) => new Set([...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  return new Map([...rows].map(([, room = '', cell = '']) => [room, names(cell)]));
}

function circles(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, trail: string[]) => {
    const start = trail.indexOf(node);
    if (start >= 0) return void found.push([...trail.slice(start), node].join(' → '));
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}

const arrows = [...imports]
  .filter(([file]) => file.startsWith('src/'))
  .flatMap(([file, targets]) => targets.map((target) => ({ file, target, from: roomOf(file), to: roomOf(target) })))
  .filter(({ from, to }) => from !== to);

test('the files were found', () => {
  expect(imports.size).toBeGreaterThan(300);
  expect(arrows.length).toBeGreaterThan(500);
});

test('arrows between floors point downward', () => {
  const floorOf = (file: string) => floors.indexOf(file.split('/')[1] ?? '');
  const upward = arrows.filter(({ file, target }) => floorOf(target) < floorOf(file));
  expect(upward.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('src holds the entry and the floors', () => {
  const entries = readdirSync(path.join(root, 'src')).filter((name) => !name.endsWith('.test.ts'));
  expect(entries.sort()).toEqual([...floors, 'main.ts'].sort());
});

test('no file imports itself through others', () => {
  expect(circles(imports)).toEqual([]);
});

test('arrows between rooms are those of the map', () => {
  const drawn = drawnArrows();
  const foreign = arrows.filter(({ from, to }) => !drawn.get(from)?.has(to));
  expect(foreign.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('groups of the platform import each other in one direction only', () => {
  const graph = Map.groupBy(arrows, ({ from }) => from);
  const platform = [...graph].filter(([room]) => room.startsWith('platform'));
  const targets = platform.map(([room, out]): [string, string[]] => [
    room,
    [...new Set(out.map(({ to }) => to))].filter((to) => to.startsWith('platform')),
  ]);
  expect(targets.length).toBeGreaterThan(10);
  expect(circles(new Map(targets))).toEqual([]);
});

test('the environment stands above all that it is made of', () => {
  const made = new Set<string>();
  const visit = (room: string) => {
    for (const { from, to } of arrows) {
      if (from !== room || made.has(to)) continue;
      made.add(to);
      visit(to);
    }
  };
  visit('environment');
  expect(made.size).toBeGreaterThan(5);
  expect([...made].sort()).not.toContain('environment');
});

test('the map draws no arrow that nobody uses', () => {
  const used = new Set(arrows.map(({ from, to }) => `${from} → ${to}`));
  const unused = [...drawnArrows()].flatMap(([from, targets]) => [...targets].map((to) => `${from} → ${to}`));
  expect(unused.filter((arrow) => !used.has(arrow))).toEqual([]);
});
