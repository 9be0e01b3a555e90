/** Every command of the command line. */
import { accountCreateCommand, accountListCommand, accountUpdateCommand } from './account.ts';
import { callSimulateCommand, callSimulateOutCommand } from './call.ts';
import {
  callEventsLogCommand,
  callEventsRemoveCommand,
  callEventsReplayCommand,
  callEventsSetCommand,
} from './call-events.ts';
import {
  catalogueExportCommand,
  catalogueGenerateCommand,
  catalogueImportCommand,
  catalogueVerifyCommand,
} from './catalogue.ts';
import { clockAdvanceCommand, clockShowCommand } from './clock.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { deliveriesListCommand, deliveriesReplayCommand, deliveriesShowCommand } from './deliveries.ts';
import { jobsDiscardCommand, jobsListCommand, jobsRetryCommand, jobsShowCommand } from './jobs.ts';
import { keysCreateCommand, keysListCommand, keysRevokeCommand } from './keys.ts';
import { accountTopUpCommand, ledgerVerifyCommand } from './ledger.ts';
import { initCommand, migrateCommand } from './migrate.ts';
import {
  otpCreateCommand,
  otpDeleteCommand,
  otpEditCommand,
  otpListCommand,
  otpRegenerateSecretCommand,
} from './otp.ts';
import {
  otpProvidersDeleteCommand,
  otpProvidersListCommand,
  otpProvidersReceiptsCommand,
  otpProvidersSetCommand,
  otpRatesListCommand,
  otpRatesSetCommand,
  otpRoutesDeleteCommand,
  otpRoutesListCommand,
  otpRoutesSetCommand,
} from './otp-delivery.ts';
import { otpGuardsBlockedCommand, otpGuardsListCommand, otpGuardsSetCommand } from './otp-guards.ts';
import { requirementsLoadCommand, requirementsRateCommand } from './requirements.ts';
import {
  reviewApproveCommand,
  reviewAutoCommand,
  reviewCheckUploadsCommand,
  reviewDeadlineCommand,
  reviewListCommand,
  reviewOpenCommand,
  reviewRejectCommand,
  reviewRotateKeysCommand,
  reviewShowCommand,
} from './review.ts';
import { serveCommand } from './serve.ts';
import { voiceOutTrunksIpOnlyCommand, voiceRatesListCommand, voiceRatesSetCommand } from './voice.ts';

export const commands: readonly Command[] = [
  serveCommand,
  initCommand,
  migrateCommand,
  accountCreateCommand,
  accountListCommand,
  accountUpdateCommand,
  accountTopUpCommand,
  ledgerVerifyCommand,
  keysCreateCommand,
  keysListCommand,
  keysRevokeCommand,
  deliveriesListCommand,
  deliveriesShowCommand,
  deliveriesReplayCommand,
  jobsListCommand,
  jobsShowCommand,
  jobsRetryCommand,
  jobsDiscardCommand,
  catalogueImportCommand,
  catalogueExportCommand,
  catalogueGenerateCommand,
  catalogueVerifyCommand,
  otpCreateCommand,
  otpListCommand,
  otpEditCommand,
  otpRegenerateSecretCommand,
  otpDeleteCommand,
  otpProvidersSetCommand,
  otpProvidersListCommand,
  otpProvidersDeleteCommand,
  otpProvidersReceiptsCommand,
  otpRoutesSetCommand,
  otpRoutesListCommand,
  otpRoutesDeleteCommand,
  otpRatesSetCommand,
  otpRatesListCommand,
  otpGuardsSetCommand,
  otpGuardsListCommand,
  otpGuardsBlockedCommand,
  clockShowCommand,
  clockAdvanceCommand,
  callSimulateCommand,
  callSimulateOutCommand,
  callEventsSetCommand,
  callEventsRemoveCommand,
  callEventsLogCommand,
  callEventsReplayCommand,
  voiceRatesSetCommand,
  voiceRatesListCommand,
  voiceOutTrunksIpOnlyCommand,
  requirementsLoadCommand,
  requirementsRateCommand,
  reviewListCommand,
  reviewShowCommand,
  reviewOpenCommand,
  reviewApproveCommand,
  reviewRejectCommand,
  reviewAutoCommand,
  reviewCheckUploadsCommand,
  reviewDeadlineCommand,
  reviewRotateKeysCommand,
  completionCommand(() => commands),
];
