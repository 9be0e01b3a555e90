/**
 * The world as a picture in which one picks a country with the pointer. The list of countries beside it is the same for
 * the keyboard and for screen readers, so the picture itself is hidden from them. `scripts/world-map.ts` makes the
 * outlines.
 */
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { Country } from '../api/documents.ts';
import world from './countries.json';

const outlines: Readonly<Record<string, string>> = world.outlines;
const points: Readonly<Record<string, number[]>> = world.points;

const ShapeLink = createLink((props: ComponentProps<'a'>) => <a {...props} tabIndex={-1} />);

export function WorldMap({ countries, found }: { countries: readonly Country[]; found: ReadonlySet<string> }) {
  const sold = new Map(countries.map(({ attributes }) => [attributes.iso, attributes.name]));
  return (
    <svg className="world" viewBox="0 0 800 380" aria-hidden="true">
      {Object.entries(outlines)
        .filter(([iso]) => !sold.has(iso))
        .map(([iso, outline]) => (
          <path key={iso} d={outline} />
        ))}
      {[...sold].map(([iso, name]) => (
        <ShapeLink key={iso} to="/buy" search={{ country: iso }} data-found={found.has(iso)}>
          <title>{name}</title>
          {outlines[iso] !== undefined && <path d={outlines[iso]} />}
          {points[iso] !== undefined && <circle cx={points[iso][0]} cy={points[iso][1]} r={3} />}
        </ShapeLink>
      ))}
    </svg>
  );
}
