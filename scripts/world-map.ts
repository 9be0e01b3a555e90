/**
 * Writes the panel's map of the world, `web/src/map/countries.json`: the outline of each country as an SVG path by its
 * two-letter code, and a point for countries too small to have one. The outlines are those of Natural Earth (public
 * domain), from the package `world-atlas`. Run it with `node scripts/world-map.ts`; a test compares the file with its
 * result.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { iso31661 } from 'iso-3166';
import { feature } from 'topojson-client';

type Point = readonly [longitude: number, latitude: number];
type Rings = readonly (readonly Point[])[];

interface Shape {
  id?: string | number;
  geometry: { type: string; coordinates: unknown } | null;
}

/** Width and height of the picture; Antarctica is left out. */
const mapSize = { width: 800, height: 380 };
const north = 84;
const south = -58;
/** Smaller parts, in square pixels, are not drawn. */
const smallestArea = 0.6;

export const mapFile = path.join(import.meta.dirname, '../web/src/map/countries.json');

const require = createRequire(import.meta.url);

function shapesOf(file: string): readonly Shape[] {
  const topology = JSON.parse(readFileSync(require.resolve(`world-atlas/${file}`), 'utf8'));
  const collection: unknown = feature(topology, topology.objects.countries);
  return (collection as { features: Shape[] }).features;
}

const codes = new Map(iso31661.map(({ numeric, alpha2 }) => [numeric, alpha2]));
const codeOf = ({ id }: Shape): string | undefined => codes.get(String(id).padStart(3, '0'));

/** The polygons of a country, each a list of rings. */
function polygonsOf({ geometry }: Shape): readonly Rings[] {
  if (geometry?.type === 'Polygon') return [geometry.coordinates as Rings];
  return geometry?.type === 'MultiPolygon' ? (geometry.coordinates as readonly Rings[]) : [];
}

function project([longitude, latitude]: Point): [x: number, y: number] {
  const x = ((longitude + 180) / 360) * mapSize.width;
  const y = ((north - Math.min(north, Math.max(south, latitude))) / (north - south)) * mapSize.height;
  return [Math.round(x * 2) / 2, Math.round(y * 2) / 2];
}

const areaOf = (points: readonly (readonly [number, number])[]): number =>
  Math.abs(
    points.reduce((sum, [x, y], index) => {
      const [nextX, nextY] = points[(index + 1) % points.length] ?? [x, y];
      return sum + x * nextY - nextX * y;
    }, 0) / 2,
  );

/** The same ring without jumps from one edge of the map to the other: it goes on beyond the edge instead. */
function unwrapped(ring: readonly Point[]): Point[] {
  let shift = 0;
  return ring.map(([longitude, latitude], index) => {
    const jump = longitude - (ring[index - 1]?.[0] ?? longitude);
    if (Math.abs(jump) > 180) shift -= Math.sign(jump) * 360;
    return [longitude + shift, latitude];
  });
}

/** A ring as a path. One that crosses the edge of the map is drawn at both edges. */
function pathOf(ring: readonly Point[]): string {
  const points = unwrapped(ring);
  const moved = (degrees: number) => outlineOf(points.map(([longitude, latitude]) => [longitude + degrees, latitude]));
  const longitudes = points.map(([longitude]) => longitude);
  return [
    outlineOf(points),
    ...(Math.max(...longitudes) > 180 ? [moved(-360)] : []),
    ...(Math.min(...longitudes) < -180 ? [moved(360)] : []),
  ].join('');
}

/** Relative lines, which are shorter; empty for a ring that is too small to be seen. */
function outlineOf(ring: readonly Point[]): string {
  const points = ring
    .map(project)
    .filter(([x, y], index, all) => index === 0 || x !== all[index - 1]?.[0] || y !== all[index - 1]?.[1]);
  if (areaOf(points) < smallestArea) return '';
  const lines = points.slice(1).map(([x, y], index) => {
    const [beforeX, beforeY] = points[index] ?? [x, y];
    return `l${x - beforeX} ${y - beforeY}`;
  });
  return `M${points[0]?.join(' ')}${lines.join('')}z`;
}

/** The middle of the largest polygon's outline. */
function middleOf(shape: Shape): [number, number] {
  const outlines = polygonsOf(shape).map(([outline = []]) => outline.map(project));
  const [largest = []] = outlines.sort((one, other) => areaOf(other) - areaOf(one));
  const mean = (axis: 0 | 1) => largest.reduce((sum, point) => sum + point[axis], 0) / Math.max(1, largest.length);
  return [Math.round(mean(0)), Math.round(mean(1))];
}

export function worldMap(): { outlines: Record<string, string>; points: Record<string, [number, number]> } {
  const outlines: Record<string, string> = {};
  const points: Record<string, [number, number]> = {};
  for (const shape of shapesOf('countries-110m.json')) {
    const code = codeOf(shape);
    if (code === undefined || code === 'AQ') continue;
    const drawn = polygonsOf(shape)
      .map((rings) => rings.map(pathOf).join(''))
      .join('');
    if (drawn !== '') outlines[code] = drawn;
  }
  for (const shape of shapesOf('countries-50m.json')) {
    const code = codeOf(shape);
    if (code !== undefined && code !== 'AQ' && !(code in outlines)) points[code] = middleOf(shape);
  }
  return { outlines: sorted(outlines), points: sorted(points) };
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => one.localeCompare(other)));

if (process.argv[1] === import.meta.filename) await writeFile(mapFile, `${JSON.stringify(worldMap())}\n`);
