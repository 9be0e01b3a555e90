/** Every kind of job there is: the handlers of all rooms. */
import { tellLowBalance } from '../../business/billing/balance-alerts.ts';
import { attemptDelivery } from '../../business/callbacks/attempt-callback.ts';
import { forgetDeliveries } from '../../business/callbacks/callback-log.ts';
import { sendMail } from '../../business/mail/outbox.ts';
import { followNumber } from '../../business/suppliers/purchases/follow.ts';
import { readCatalogue } from '../../business/suppliers/read-catalogue.ts';
import { sweepStock } from '../../business/suppliers/stock/sweep.ts';
import { endAccountCalls } from '../../business/voice/end-elsewhere.ts';
import { deliverDueEvents } from '../../business/voice/events/deliverer.ts';
import { reviewThreshold } from '../../business/voice/outbound/threshold.ts';
import { renewCall } from '../../business/voice/renew-call.ts';
import { forgetTraces, trimTraces } from '../../business/voice/trace/forget-traces.ts';
import type { TaskHandler } from '../../engines/jobs/handler.ts';
import { deleteObject } from '../../engines/objects/objects-of.ts';
import { releaseDueNumbers } from '../../interfaces/operator/inventory/release-due.ts';
import { runImport } from '../../interfaces/operator/inventory/run-import.ts';
import { issueDueBills } from '../../interfaces/operator/money/bill-schedule.ts';
import { mailBill } from '../../interfaces/operator/money/mail-bill.ts';
import { verifyBooks } from '../../interfaces/operator/money/verify-books.ts';
import { endCarrierTest } from '../../interfaces/operator/peers/peer-test-records.ts';
import { testProvider } from '../../interfaces/operator/peers/peer-tests.ts';
import { placeCall } from '../../interfaces/operator/peers/test-calls.ts';
import { applyPriceList } from '../../interfaces/operator/pricing/price-lists.writes.ts';
import { sendForgottenPassword } from '../../interfaces/panel/forgotten-password.ts';
import { renewPool } from '../../interfaces/platform/capacity/renew-pool.ts';
import { forgetHistory } from '../../interfaces/platform/dids/did-history.ts';
import { settleDueNumbers } from '../../interfaces/platform/dids/settle-due-numbers.ts';
import { compareWithSupplier } from '../../interfaces/platform/dids/supplier-changes.ts';
import { autoDecide } from '../../interfaces/platform/emergency/decide-verification.ts';
import { cancelEmptyService } from '../../interfaces/platform/emergency/emergency-calling-services.writes.ts';
import { renewService } from '../../interfaces/platform/emergency/renew-service.ts';
import { deleteExport, makeExport } from '../../interfaces/platform/exports/make-export.ts';
import { expireFile, forgetUpload } from '../../interfaces/platform/identities/stored-files.ts';
import { fulfilWaitingOrders, runFulfilOrder } from '../../interfaces/platform/orders/fulfil-orders.ts';
import { obtainSupplied } from '../../interfaces/platform/orders/obtain-supplied.ts';
import { restockDemo } from '../../interfaces/platform/orders/restock-demo.ts';
import { forgetKeys } from '../../interfaces/platform/repeated-creates.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { guardPrefixes } from '../../interfaces/verification/conversion/guard-prefixes.ts';
import { dispatchVerification } from '../../interfaces/verification/delivery/dispatch.ts';
import { giveUpInDoubt } from '../../interfaces/verification/delivery/sending-steps.ts';
import { forgetVerifications } from '../../interfaces/verification/retention.ts';

export const taskHandlers: readonly TaskHandler<WholeEnvironment>[] = [
  dispatchVerification,
  giveUpInDoubt,
  forgetVerifications,
  guardPrefixes,
  runFulfilOrder,
  fulfilWaitingOrders,
  obtainSupplied,
  followNumber,
  compareWithSupplier,
  sweepStock,
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
  issueDueBills,
  mailBill,
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
  readCatalogue,
];
