/** Which requests a fault is for. */
import { hashKey } from '../../../business/accounts/api-keys.ts';
import { isPlatformError, isVerificationError } from './named-errors.ts';
import type { Fault, FaultMatch } from './stored-faults.ts';

export interface MatchedRequest {
  /** By its route. */
  readonly interface: 'v3' | 'api/v1';
  readonly method: string;
  /** Decoded, as it is inside the world, without its query. */
  readonly path: string;
  readonly apiKey: string | null;
}

export const hashOfKey = (key: string): string => hashKey(key).toString('hex');

export function isFor({ match, action }: Fault, request: MatchedRequest): boolean {
  return action.fault === undefined && matches(match, request) && isKnown(action.error, request.interface);
}

function matches({ method, path, api_key_hash }: FaultMatch, request: MatchedRequest): boolean {
  if (method !== undefined && method.toUpperCase() !== request.method) return false;
  if (path !== undefined && !patternOf(path).test(request.path)) return false;
  return api_key_hash === undefined || (request.apiKey !== null && hashOfKey(request.apiKey) === api_key_hash);
}

/** An error is for the interface that has it. */
function isKnown(error: string | undefined, name: MatchedRequest['interface']): boolean {
  if (error === undefined) return true;
  return name === 'api/v1' ? isVerificationError(error) : isPlatformError(error);
}

/** `*` stands for one segment or a part of it; as the last character it stands for everything that follows. */
function patternOf(path: string): RegExp {
  const rest = path.endsWith('*') ? '.*' : '/?';
  const literal = path
    .replace(/\*$/, '')
    .replace(/[\\^$.|?+()[\]{}]/g, '\\$&')
    .replaceAll('*', '[^/]*');
  return new RegExp(`^${literal}${rest}$`);
}
