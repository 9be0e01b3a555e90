/** Signing in, the own login and acting as a customer, for the OpenAPI document of `/panel/v1`. */
import { actingRole, memberRoleTexts } from '../../business/accounts/member-roles.ts';
import type { OpenApiPart } from '../../engines/openapi/types.ts';
import { shape } from '../../engines/typed-schema.ts';
import { actingBody } from './acting.ts';
import { passwordBody } from './confirmation.ts';
import { emailLinkBody, newEmailBody } from './login-email.ts';
import { forgottenBody, linkForBody, passwordLinkBody } from './login-links.ts';
import { describe, strict, text, textOrNull, time, timeOrNull, uuid, whole, yesOrNo } from './openapi-parts.ts';
import { appCodeBody, newPasskeyBody, newPasswordBody } from './own-login.ts';
import { credentialsBody, passkeyBody, secondStepBody } from './sign-in.ts';

const orNull = shape.null();

const session = strict({
  kind: shape.word(['account', 'operator']),
  environment: shape.word(['production', 'sandbox']),
  currency: text,
  beside: shape.either(
    strict({
      name: shape.word(['production', 'sandbox']),
      public_url: textOrNull,
      port: whole,
    }),
    orNull,
    {
      description: 'The other environment that the same program serves: at its public URL, or at a port of this host.',
    },
  ),
  now: time,
  login: shape.either(text, orNull, { description: 'The e-mail address that signed in.' }),
  role: shape.either(shape.word(Object.keys(memberRoleTexts)), orNull, {
    description: 'What the person may do with the account.',
  }),
  account: shape.either(
    strict({ id: uuid, name: text, email: textOrNull, read_only: yesOrNo, suspension_reason: textOrNull }),
    orNull,
    { description: 'Null for an operator who does not act as a customer.' },
  ),
  operator: shape.either(
    strict({ kind: shape.constant('operator'), id: uuid, email: text, role: shape.word(Object.keys(actingRole)) }),
    orNull,
  ),
  events_after: shape.either(text, orNull, {
    description: 'Where live events begin for what is read after this; null for a stream that begins by reading anew.',
  }),
});

const secondStep = strict({ kind: shape.constant('second_factor'), token: text });

/** The options are those of the Web Authentication API, as JSON. */
const credential = strict({ id: text, type: shape.constant('public-key') });
const verification = shape.word(['discouraged', 'preferred', 'required']);
const challenge = { challenge: text, timeout: shape.optional(whole) };
const proofOptions = strict({
  token: text,
  options: shape.object({
    ...challenge,
    rpId: shape.optional(text),
    allowCredentials: shape.optional(shape.array(credential)),
    userVerification: shape.optional(verification),
  }),
});
const newPasskeyOptions = strict({
  token: text,
  options: shape.object({
    ...challenge,
    rp: shape.object({ name: text, id: shape.optional(text) }),
    user: strict({ id: text, name: text, displayName: text }),
    pubKeyCredParams: shape.array(strict({ alg: whole, type: shape.constant('public-key') })),
    excludeCredentials: shape.optional(shape.array(credential)),
    authenticatorSelection: shape.optional(
      shape.object({ residentKey: shape.optional(verification), userVerification: shape.optional(verification) }),
    ),
    attestation: shape.optional(shape.word(['none'])),
  }),
});
const recoveryCodes = strict({ recovery_codes: shape.array(text) });
const nothing = strict({});
/** The current password may prove, with the request itself, who sends it. */
const proof = shape.object({ current: shape.optional(text) });

const login = strict({
  email: textOrNull,
  totp: shape.boolean({ description: 'Whether a code of an app is asked for after the password.' }),
  recovery_codes_left: whole,
  passkeys: shape.array(strict({ id: uuid, name: text, created_at: time, last_used_at: timeOrNull })),
  other_sessions: shape.array(strict({ id: uuid, ip: text, user_agent: text, created_at: time, last_used_at: time }), {
    description: 'Where the same person is signed in beside this session.',
  }),
});

const sessionPaths: OpenApiPart['paths'] = {
  '/session': {
    get: describe('read_session', 'Get who is signed in', { answers: { 200: session } }),
    post: describe('sign_in', 'Sign in with a password', {
      body: credentialsBody,
      answers: { 200: secondStep, 201: session },
    }),
    delete: describe('sign_out', 'Sign out', { answers: { 204: null } }),
  },
  '/session/code': {
    post: describe('sign_in_with_code', 'Take the second step', { body: secondStepBody, answers: { 201: session } }),
  },
  '/session/passkey/options': {
    post: describe('begin_passkey', 'Begin to sign in with a passkey', { answers: { 200: proofOptions } }),
  },
  '/session/passkey': {
    post: describe('sign_in_with_passkey', 'Sign in with a passkey', { body: passkeyBody, answers: { 201: session } }),
  },
  '/acting': {
    post: describe('begin_acting', 'Act as a customer', { body: actingBody, answers: { 200: session }, named: true }),
    delete: describe('end_acting', 'Stop acting as a customer', { answers: { 200: session } }),
  },
};

const loginPaths: OpenApiPart['paths'] = {
  '/login': { get: describe('read_login', 'Get the own login', { answers: { 200: login } }) },
  '/login/password': {
    post: describe('set_password', 'Change the password', { body: newPasswordBody, answers: { 201: session } }),
  },
  '/login/totp': {
    post: describe('begin_app', 'Begin to set up an app for codes', {
      body: proof,
      answers: { 200: strict({ secret: text, uri: text }) },
    }),
  },
  '/login/totp/confirm': {
    post: describe('confirm_app', 'Turn the app for codes on', { body: appCodeBody, answers: { 200: recoveryCodes } }),
  },
  '/login/totp/remove': {
    post: describe('remove_app', 'Turn the app for codes off', { body: proof, answers: { 204: null } }),
  },
  '/login/recovery_codes': {
    post: describe('renew_recovery_codes', 'Make new recovery codes', { body: proof, answers: { 200: recoveryCodes } }),
  },
  '/login/passkeys/options': {
    post: describe('begin_new_passkey', 'Begin to add a passkey', { body: proof, answers: { 200: newPasskeyOptions } }),
  },
  '/login/passkeys': {
    post: describe('add_passkey', 'Add a passkey', { body: newPasskeyBody, answers: { 201: nothing } }),
  },
  '/login/passkeys/{id}': {
    delete: describe('remove_passkey', 'Remove a passkey', { body: proof, answers: { 204: null }, named: true }),
  },
  '/login/confirm': {
    post: describe('confirm', 'Prove by password who asks', { body: passwordBody, answers: { 204: null } }),
  },
  '/login/confirm/passkey/options': {
    post: describe('begin_confirmation', 'Begin to prove it by passkey', { answers: { 200: proofOptions } }),
  },
  '/login/confirm/passkey': {
    post: describe('confirm_by_passkey', 'Prove by passkey who asks', { body: passkeyBody, answers: { 204: null } }),
  },
  '/login/email': {
    post: describe('ask_for_email', 'Ask for another e-mail address', {
      body: newEmailBody,
      answers: { 202: nothing },
    }),
  },
  '/login/email/confirm': {
    post: describe('confirm_email', 'Confirm an e-mail address', {
      body: emailLinkBody,
      answers: { 204: null },
      takesLink: true,
    }),
  },
  '/login/set': {
    post: describe('set_password_by_link', 'Set a password by a link', {
      body: passwordLinkBody,
      answers: { 204: null },
      takesLink: true,
    }),
  },
  '/login/forgotten': {
    get: describe('read_forgotten', 'Get whether links are sent', { answers: { 200: strict({ by_email: yesOrNo }) } }),
    post: describe('ask_for_link', 'Ask for a link', { body: forgottenBody, answers: { 202: nothing } }),
  },
  '/login/links': {
    post: describe('make_link', 'Make a link for a new password', {
      body: linkForBody,
      answers: { 201: strict({ path: text, mailed: yesOrNo }) },
      named: true,
    }),
  },
};

export const signInPaths: OpenApiPart['paths'] = { ...sessionPaths, ...loginPaths };
