/** Features that declarations name, and which of them a caller has. */
import type { EngineContext } from './resource.ts';

/** Whether this caller has a feature that a declaration asks for. */
export const hasFeature = ({ features }: Pick<EngineContext, 'features'>, name: string | undefined): boolean =>
  name === undefined || features?.[name] !== false;

/** The same for requests with the same features, as a part of a key. Callers are kept, and so are their features. */
export function featuresKey({ features }: Pick<EngineContext, 'features'>): string {
  if (features === undefined) return '';
  const known = featureKeys.get(features) ?? Object.values(features).join();
  featureKeys.set(features, known);
  return known;
}

const featureKeys = new WeakMap<object, string>();
