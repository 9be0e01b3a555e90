/** `/sandbox/v1/orders`: how long the caller's number orders stay pending, so that cancelling can be tried. */
import { Type } from 'typebox';
import { findAccount, updateAccount } from '../accounts/accounts.ts';
import { limitTexts } from '../accounts/limits.ts';
import type { Control } from './control.ts';

const { min, max } = limitTexts.sandbox_order_seconds;

export const orderDelayBody = Type.Object(
  { delay_seconds: Type.Integer({ minimum: min, maximum: max }) },
  { additionalProperties: false },
);

export const ordersControl: Control = (routes, env) => {
  routes.get('/orders', async ({ caller }) => {
    const account = await findAccount(env, caller.accountId);
    return { body: { delay_seconds: account?.limits.sandbox_order_seconds ?? min } };
  });
  routes.post('/orders', orderDelayBody, async ({ caller, body }) => {
    const limits = { sandbox_order_seconds: body.delay_seconds };
    await updateAccount(env, caller.accountId, { limits });
    return { body };
  });
};
