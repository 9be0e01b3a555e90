/** `supporting_document_templates`: a blank form to fill in, sign and upload. */
import { boolean, text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf, contains, flag } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';
import { FORM_PATH } from './blank-forms.ts';

export const supportingDocumentTemplates = catalogue('supporting_document_templates', {
  group: 'Regulation',
  noun: 'form template',
  summary: 'A blank form to be filled in, signed and uploaded.',
  attributes: {
    name: text({ doc: 'The title of the form.' }),
    permanent: boolean({ doc: 'True: it stays with an identity. False: it is sent with one address verification.' }),
    url: {
      ...text({ format: 'uri', column: 't.storage_key', doc: 'Where the blank form can be downloaded.' }),
      decode: (key: string, { baseUrl }) => `${baseUrl.replace(/\/v3$/, '')}${FORM_PATH}${key}`,
    },
  },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name'),
    name_contains: contains('t.name'),
    permanent: flag('t.permanent'),
  },
  sort: ['name', 'permanent'],
  tieBreak: 't.name, t.id',
});
