/** What verifications have in a process: their metrics, providers and inbox, and the SIP endpoint that speaks codes. */
import type { WithSip } from '../../business/b2bua/endpoint.ts';
import type { Environment } from '../../engines/environment.ts';
import type { WithProviders } from './delivery/opened-providers.ts';
import type { WithArrivals } from './inbox-arrivals.ts';
import type { WithCodeMetrics } from './metrics.ts';

export type VerificationEnvironment = Environment & WithCodeMetrics & WithProviders & WithArrivals & WithSip;
