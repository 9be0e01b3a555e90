/** Every kind of job there is: the handlers of all rooms. */
import { tellLowBalance } from '../billing/balance-alerts.ts';
import { attemptDelivery } from '../callbacks/attempt-callback.ts';
import { forgetDeliveries } from '../callbacks/callback-log.ts';
import type { TaskHandler } from '../jobs/handler.ts';
import { sendMail } from '../mail/outbox.ts';
import { deleteObject } from '../objects/objects-of.ts';
import { releaseDueNumbers } from '../operator/inventory/release-due.ts';
import { runImport } from '../operator/inventory/run-import.ts';
import { verifyBooks } from '../operator/money/verify-books.ts';
import { endCarrierTest } from '../operator/peers/peer-test-records.ts';
import { testProvider } from '../operator/peers/peer-tests.ts';
import { placeCall } from '../operator/peers/test-calls.ts';
import { applyPriceList } from '../operator/pricing/price-lists.writes.ts';
import { sendForgottenPassword } from '../panel/forgotten-password.ts';
import { renewPool } from '../platform/capacity/renew-pool.ts';
import { forgetHistory } from '../platform/dids/did-history.ts';
import { settleDueNumbers } from '../platform/dids/settle-due-numbers.ts';
import { autoDecide } from '../platform/emergency/decide-verification.ts';
import { cancelEmptyService } from '../platform/emergency/emergency-calling-services.writes.ts';
import { renewService } from '../platform/emergency/renew-service.ts';
import { deleteExport, makeExport } from '../platform/exports/make-export.ts';
import { expireFile, forgetUpload } from '../platform/identities/stored-files.ts';
import { fulfilWaitingOrders, runFulfilOrder } from '../platform/orders/fulfil-orders.ts';
import { restockDemo } from '../platform/orders/restock-demo.ts';
import { forgetKeys } from '../platform/repeated-creates.ts';
import type { WholeEnvironment } from '../server/whole-environment.ts';
import { guardPrefixes } from '../verification/conversion/guard-prefixes.ts';
import { dispatchVerification } from '../verification/delivery/dispatch.ts';
import { giveUpInDoubt } from '../verification/delivery/dispatch-state.ts';
import { forgetVerifications } from '../verification/retention.ts';
import { endAccountCalls } from '../voice/end-elsewhere.ts';
import { deliverDueEvents } from '../voice/events/deliverer.ts';
import { reviewThreshold } from '../voice/outbound/threshold.ts';
import { renewCall } from '../voice/renew-call.ts';
import { forgetTraces, trimTraces } from '../voice/trace/forget-traces.ts';

export const taskHandlers: readonly TaskHandler<WholeEnvironment>[] = [
  dispatchVerification,
  giveUpInDoubt,
  forgetVerifications,
  guardPrefixes,
  runFulfilOrder,
  fulfilWaitingOrders,
  restockDemo,
  forgetKeys,
  settleDueNumbers,
  forgetHistory,
  renewPool,
  renewService,
  cancelEmptyService,
  autoDecide,
  expireFile,
  forgetUpload,
  makeExport,
  deleteExport,
  deliverDueEvents,
  reviewThreshold,
  endAccountCalls,
  renewCall,
  trimTraces,
  forgetTraces,
  attemptDelivery,
  forgetDeliveries,
  verifyBooks,
  applyPriceList,
  releaseDueNumbers,
  runImport,
  testProvider,
  endCarrierTest,
  placeCall,
  tellLowBalance,
  sendForgottenPassword,
  sendMail,
  deleteObject,
];
