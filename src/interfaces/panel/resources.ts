/** The types of `/panel/v1`, and its routes with plain JSON. */
import { Registry } from '../../engines/jsonapi/resource.ts';
import { accountSettings } from './account-settings.ts';
import { apiKeys, apiUsage } from './api-keys.ts';
import { billingProfiles } from './billing-profiles.ts';
import { callEventEndpoints, callEvents } from './call-events.ts';
import { callRefusals, callTraceLines, callTraces } from './call-traces.ts';
import { callbackActions } from './callback-actions.ts';
import { callbackAttempts, callbacks } from './callbacks.ts';
import { callAttempts, calls, liveCalls, outboundCalls } from './calls.ts';
import { documentRoutes, invoices } from './documents.ts';
import { emergencyNumbers } from './emergency-numbers.ts';
import { members } from './members.ts';
import { notificationsRoute } from './notifications.ts';
import { otpApplications } from './otp-applications.ts';
import { phoneCredentialsRoute } from './phone-credentials.ts';
import { registrationChecksRoute } from './registration-checks.ts';
import { routingRoute } from './routing.ts';
import { searchRoute } from './search.ts';
import { secretsRoute } from './secrets.ts';
import { sessions } from './sessions.ts';
import { statisticsRoute } from './statistics.ts';
import { trunkHealth } from './trunk-health.ts';
import { inboundTrunkSound, outboundTrunkSound } from './trunk-sound.ts';
import { unregisteredNumbers } from './unregistered-numbers.ts';
import { upcomingRoute } from './upcoming.ts';
import { verifications } from './verifications.ts';

export const panelRegistry = new Registry([
  accountSettings,
  apiKeys,
  apiUsage,
  billingProfiles,
  callAttempts,
  callEventEndpoints,
  callEvents,
  callRefusals,
  callTraceLines,
  callTraces,
  callbackAttempts,
  callbacks,
  calls,
  emergencyNumbers,
  invoices,
  liveCalls,
  members,
  otpApplications,
  outboundCalls,
  sessions,
  trunkHealth,
  inboundTrunkSound,
  outboundTrunkSound,
  unregisteredNumbers,
  verifications,
]);

export const plainRoutes = [
  searchRoute,
  routingRoute,
  registrationChecksRoute,
  statisticsRoute,
  upcomingRoute,
  notificationsRoute,
  documentRoutes,
  callbackActions,
  secretsRoute,
  phoneCredentialsRoute,
];
