/** `otp_applications` of `/panel/v1`: the clients of the verification service. A secret is shown when it is made. */
import { madeByOperator } from '../../business/accounts/acting.ts';
import { boolean, freeText, integer, text } from '../../engines/jsonapi/attributes.ts';
import { contains } from '../../engines/jsonapi/filters.ts';
import type { CreateOf, UpdateOf } from '../../engines/jsonapi/sent.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import {
  type ApplicationSettings,
  createApplication,
  deleteApplication,
  editApplication,
  regenerateSecret,
} from '../verification/application.writes.ts';
import { owned, type PanelContext, refusedAt, withShownOnce } from './context.ts';

const applicationAttributes = {
  name: text({ write: 'both', required: true, maxLength: 255, doc: 'What the application is.' }),
  description: freeText({ write: 'both', nullable: true, doc: 'Your own note.' }),
  key: text({ doc: 'Names the application in requests.' }),
  secret: text({
    nullable: true,
    column: 't.shown_once',
    doc: 'Proves requests; in the response that made it only.',
  }),
  minimum_mode: text({
    write: 'both',
    default: 'public',
    values: {
      public: 'The key alone is enough.',
      basic: 'Key and secret as basic authentication, or better.',
      application: 'Every request is signed with the secret.',
    },
    doc: 'How requests must prove that they come from the application, at least.',
  }),
  callback_url: text({
    write: 'both',
    nullable: true,
    maxLength: 2000,
    doc: 'Asked before a code is sent; http or https.',
  }),
  code_timeout: integer({ write: 'both', default: 300, min: 60, max: 600, doc: 'Seconds in which a code is valid.' }),
  code_length: integer({ write: 'both', default: 6, min: 4, max: 8, doc: 'Digits of a code.' }),
  daily_limit: integer({
    write: 'both',
    nullable: true,
    min: 1,
    max: 1_000_000_000,
    doc: 'The most verifications in a day; null sets no limit.',
  }),
  rotate_secret: boolean({
    write: 'update',
    writeOnly: true,
    doc: 'True makes a new secret; the old one stops working at once.',
  }),
  created_at: createdAt,
  made_by_operator: boolean({
    column: madeByOperator('otp_applications'),
    doc: 'Whether an operator made it who acted as this customer.',
  }),
};

export const otpApplications = owned('otp_applications', {
  group: 'Panel',
  noun: 'OTP application',
  summary: 'A client of the verification service.',
  from: withShownOnce('otp_applications'),
  visible: () => 't.deleted_at is null',
  attributes: applicationAttributes,
  filters: { name: contains('t.name') },
  sort: ['name', 'created_at'],
  defaultSort: 'name',
  create: createOtpApplication,
  update: updateOtpApplication,
  delete: async ({ env }, id) => deleteApplication(env, id),
});

type NewApplication = CreateOf<typeof applicationAttributes, object>;
type ApplicationChange = UpdateOf<typeof applicationAttributes, object>;

async function createOtpApplication(context: PanelContext, { attributes }: NewApplication): Promise<string> {
  const application = await refusedAt(attributeOf, () =>
    createApplication(context.env, callerOf(context).accountId, { name: '', ...settingsOf(attributes) }),
  );
  context.shownOnce.secret = application.secret.reveal();
  return application.id;
}

async function updateOtpApplication(
  context: PanelContext,
  id: string,
  { attributes: { rotate_secret = false, ...attributes } }: ApplicationChange,
): Promise<void> {
  const settings = settingsOf(attributes);
  if (Object.keys(settings).length > 0) {
    await refusedAt(attributeOf, () => editApplication(context.env, id, settings));
  }
  if (rotate_secret) context.shownOnce.secret = (await regenerateSecret(context.env, id)).secret.reveal();
}

/** Only what was sent. */
function settingsOf(attributes: ApplicationChange['attributes']): ApplicationSettings {
  const { name, description, minimum_mode, callback_url, code_timeout, code_length, daily_limit } = attributes;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(minimum_mode !== undefined && { minimumMode: minimum_mode }),
    ...(callback_url !== undefined && { callbackUrl: callback_url }),
    ...(code_timeout !== undefined && { codeTimeout: code_timeout }),
    ...(code_length !== undefined && { codeLength: code_length }),
    ...(daily_limit !== undefined && { dailyLimit: daily_limit }),
  };
}

/** The other settings are checked by the declaration, before the workflow runs. */
const attributeOf = (message: string): string => (message.includes('callback URL') ? 'callback_url' : 'name');
