/** The attributes of orders: what a request may send of one is derived from here. */
import { referencePattern } from '../../../business/reference.ts';
import { boolean, decimal, objectList, text } from '../../../engines/jsonapi/attributes.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callbackAttributes, createdAt, externalReferenceId } from '../common-attributes.ts';
import { itemsColumn, orderItemTypes, showItems } from './order-items.ts';

/** Limits the work of one request. */
const mostItems = 100;

export const statuses = {
  pending: 'Waiting for its numbers.',
  completed: 'Everything was handed over.',
  canceled: 'It ended without its numbers; the charge was given back.',
};

export const orderMembers = {
  attributes: {
    reference: text({ pattern: referencePattern, doc: 'The short name people use for it.' }),
    description: text({ doc: 'What it is for: `DID`, `Capacity`, `Emergency`, or the operator’s words.' }),
    amount: decimal({ doc: 'The whole charge, with VAT.' }),
    status: text({ values: statuses, doc: 'How far it is.' }),
    created_at: createdAt,
    items: {
      ...objectList(orderItemTypes, {
        write: 'create',
        required: true,
        minItems: 1,
        objectLimit: mostItems,
        sameType: true,
        atMostOneOf: { did_order_items: ['qty', 'available_did_id', 'did_reservation_id'] },
        column: itemsColumn,
        doc: 'What is bought; all items of an order are of one type.',
      }),
      decode: showItems,
    },
    ...callbackAttributes,
    external_reference_id: externalReferenceId,
    allow_back_ordering: boolean({
      write: 'create',
      writeOnly: true,
      default: true,
      doc: 'Whether the order may wait for numbers that are not in stock.',
    }),
  },
  relationships: {},
};

export type OrderAttributes = CreateInput<typeof orderMembers>['attributes'];
