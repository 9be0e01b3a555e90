/** Every command of the command line. */
import { accountCommands } from './account.ts';
import { accountStateCommands } from './account-states.ts';
import { auditCommands } from './audit.ts';
import { callCommands } from './call.ts';
import { callEventsCommands } from './call-events.ts';
import { callTraceCommands } from './call-trace.ts';
import { carrierCommands } from './carrier.ts';
import { catalogueCommands } from './catalogue.ts';
import { clockCommands } from './clock.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { deliveriesCommands } from './deliveries.ts';
import { edgeCommands } from './edge.ts';
import { jobsCommands } from './jobs.ts';
import { keysCommands } from './keys.ts';
import { ledgerCommands } from './ledger.ts';
import { loginCommands } from './login.ts';
import { databaseCommands } from './migrate.ts';
import { operatorCommands } from './operator.ts';
import { otpCommands } from './otp.ts';
import { otpCallsCommands } from './otp-calls.ts';
import { otpDeliveryCommands } from './otp-delivery.ts';
import { otpGuardsCommands } from './otp-guards.ts';
import { phoneCommand } from './phone.ts';
import { requirementsCommands } from './requirements.ts';
import { reviewCommands } from './review.ts';
import { routeCommands } from './route.ts';
import { serveCommand } from './serve.ts';
import { voiceCommands } from './voice.ts';

export const commands: readonly Command[] = [
  serveCommand,
  ...databaseCommands,
  ...accountCommands,
  ...accountStateCommands,
  ...ledgerCommands,
  ...operatorCommands,
  ...loginCommands,
  ...auditCommands,
  ...keysCommands,
  ...deliveriesCommands,
  ...jobsCommands,
  ...catalogueCommands,
  ...otpCommands,
  ...otpDeliveryCommands,
  ...otpGuardsCommands,
  ...otpCallsCommands,
  ...clockCommands,
  ...callCommands,
  ...callTraceCommands,
  ...callEventsCommands,
  phoneCommand,
  ...voiceCommands,
  ...carrierCommands,
  ...routeCommands,
  ...edgeCommands,
  ...requirementsCommands,
  ...reviewCommands,
  completionCommand(() => commands),
];
