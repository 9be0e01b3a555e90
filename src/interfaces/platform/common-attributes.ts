/** Attributes that many types have in the same form. */
import { dateTime, integer, text } from '../../engines/jsonapi/attributes.ts';

export const createdAt = dateTime({ doc: 'When it was created.' });

export const externalReferenceId = text({
  nullable: true,
  write: 'both',
  maxLength: 100,
  doc: 'Your own reference, such as an id in your system.',
});

/** Of trunks and trunk groups. */
export const capacityLimit = integer({
  nullable: true,
  write: 'both',
  min: 1,
  max: 32_767,
  doc: 'The most calls at a time; null sets no limit.',
});

/** Where and how the outcome is reported to the customer. */
export const callbackAttributes = {
  callback_url: text({
    nullable: true,
    write: 'create',
    format: 'uri',
    togetherWith: 'callback_method',
    doc: 'Where the outcome is reported; http or https.',
  }),
  callback_method: text({
    nullable: true,
    write: 'create',
    values: { get: 'The payload is added to the query of the URL.', post: 'The payload is sent as a form.' },
    togetherWith: 'callback_url',
    doc: 'How the outcome is reported.',
  }),
};
