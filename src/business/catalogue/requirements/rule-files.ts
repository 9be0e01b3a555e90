/**
 * Reads and checks the rule files of countries, Trunkline's own or an operator's, and knows the labels of the identity
 * fields that they may require.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decimalPattern } from '../../../base/fields.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import type { IdentityType } from '../../../engines/db/tables/regulation.ts';
import { checkerOf, type Static, shape, type TypedSchema } from '../../../engines/typed-schema.ts';

export const mandatoryFields = [
  'birth_date',
  'birth_country',
  'country',
  'personal_tax_id',
  'id_number',
  'vat_id',
  'company_reg_number',
  'contact_email',
] as const;

export type MandatoryField = (typeof mandatoryFields)[number];

const personalLabels: Readonly<Record<MandatoryField, string>> = {
  birth_date: 'Birth Date',
  birth_country: 'Place of Birth',
  country: 'Country of Tax Residence',
  personal_tax_id: 'Personal Tax ID',
  id_number: 'ID Number',
  vat_id: 'VAT Number / TAX Code',
  company_reg_number: 'Company ID',
  contact_email: 'Contact email',
};

/** Personal fields of a business are those of its representative. */
const labels: Readonly<Record<IdentityType, typeof personalLabels>> = {
  personal: personalLabels,
  business: {
    ...personalLabels,
    birth_date: 'Company Representative Date of Birth',
    birth_country: 'Company Representative Place of Birth',
    personal_tax_id: 'Representative Tax ID',
  },
};

export const labelOf = (kind: IdentityType, field: MandatoryField): string => labels[kind][field];

/** Finds a field by its label, which is how emergency requirements name it. */
export const fieldLabelled = (kind: IdentityType, label: string): MandatoryField | undefined =>
  mandatoryFields.find((name) => labels[kind][name] === label);

export const addressFields = ['State/Province/Region'] as const;

const strict = { additionalProperties: false };
const Name = shape.string({ minLength: 1 });
const Count = shape.integer({ minimum: 0, maximum: 100 });
const Types = shape.array(Name, { minItems: 1 });
const IdentityKinds = shape.word(['any', 'personal', 'business']);
const IdentityArea = shape.word(['world_wide', 'country']);

const IdentityRule = shape.object(
  {
    area: IdentityArea,
    proofs: Count,
    proof_types: shape.array(Name),
    fields: shape.array(shape.word(mandatoryFields)),
    permanent_document: shape.optional(Name),
    onetime_document: shape.optional(Name),
  },
  strict,
);

const AddressRule = shape.object(
  {
    types: Types,
    identity: IdentityKinds,
    personal: shape.optional(IdentityRule),
    business: shape.optional(IdentityRule),
    address: shape.object(
      {
        area: shape.word(['world_wide', 'country', 'area', 'city']),
        proofs: Count,
        proof_types: shape.array(Name),
      },
      strict,
    ),
    service_description: shape.boolean(),
    restriction: shape.string(),
  },
  strict,
);

const EmergencyIdentity = shape.object({ area: IdentityArea, fields: shape.array(Name) }, strict);

const EmergencyRule = shape.object(
  {
    types: Types,
    identity: IdentityKinds,
    personal: shape.optional(EmergencyIdentity),
    business: shape.optional(EmergencyIdentity),
    address: shape.object(
      {
        area: shape.word(['country', 'area', 'city']),
        fields: shape.array(shape.word(['State/Province/Region'])),
      },
      strict,
    ),
    setup_time: Name,
    restriction: shape.either(shape.string(), shape.null()),
    /** A decimal; null if it is not sold. */
    monthly_price: shape.either(shape.string({ pattern: decimalPattern({ whole: 6 }) }), shape.null()),
  },
  strict,
);

const Country = shape.object(
  {
    country: shape.string({ pattern: '^[A-Z]{2}$' }),
    address: shape.array(AddressRule),
    emergency: shape.array(EmergencyRule),
  },
  strict,
);

const ProofTypes = shape.array(
  shape.object(
    {
      entity_type: shape.word(['Personal', 'Business', 'Address']),
      name: Name,
      valid_days: shape.either(shape.integer({ minimum: 1 }), shape.null()),
    },
    strict,
  ),
);

const Documents = shape.array(
  shape.object({ name: Name, permanent: shape.boolean(), lines: shape.array(shape.string()) }, strict),
);

export type AddressRuleFile = Static<typeof AddressRule>;
export type EmergencyRuleFile = Static<typeof EmergencyRule>;

export interface RuleBook {
  proofTypes: Static<typeof ProofTypes>;
  documents: Static<typeof Documents>;
  countries: Static<typeof Country>[];
}

const shippedFolder = fileURLToPath(new URL('.', import.meta.url));

export const shippedRules = (): RuleBook => readRules(shippedFolder);

/** If an operator's folder has no proof types or documents, Trunkline's own are used. */
export function readRules(folder: string): RuleBook {
  const own = (file: string) => (existsSync(`${folder}/${file}`) ? folder : shippedFolder);
  const countries = `${folder}/countries`;
  if (!existsSync(countries)) throw new OperatorError(`${countries} is not there: it holds one file per country.`);
  const files = readdirSync(countries).filter((name) => name.endsWith('.json'));
  const book: RuleBook = {
    proofTypes: read(`${own('proof-types.json')}/proof-types.json`, ProofTypes),
    documents: read(`${own('documents.json')}/documents.json`, Documents),
    countries: files.sort().map((name) => read(`${countries}/${name}`, Country)),
  };
  for (const country of book.countries) checkNames(book, country);
  return book;
}

function read<T>(file: string, schema: TypedSchema<T>): T {
  const checker = checkerOf(schema);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  if (checker.allows(content)) return content;
  throw new OperatorError(`${file}: ${checker.problemOf(content)}.`);
}

/** Checks that every name in the rules exists and is of the right kind. */
function checkNames(
  { proofTypes, documents }: RuleBook,
  { country, address, emergency }: Static<typeof Country>,
): void {
  const refuse = (what: string): never => {
    throw new OperatorError(`The rules of ${country} name ${what}, which there is not.`);
  };
  const proof = (entityType: string, name: string) => {
    if (!proofTypes.some((type) => type.entity_type === entityType && type.name === name)) {
      refuse(`the ${entityType} proof type "${name}"`);
    }
  };
  const document = (name: string | undefined, permanent: boolean) => {
    if (name !== undefined && !documents.some((each) => each.name === name && each.permanent === permanent)) {
      refuse(`the ${permanent ? 'permanent' : 'one-time'} document "${name}"`);
    }
  };
  for (const rule of address) {
    for (const kind of ['personal', 'business'] as const) {
      for (const name of rule[kind]?.proof_types ?? []) proof(kind === 'personal' ? 'Personal' : 'Business', name);
      document(rule[kind]?.permanent_document, true);
      document(rule[kind]?.onetime_document, false);
    }
    for (const name of rule.address.proof_types) proof('Address', name);
  }
  for (const rule of emergency) {
    for (const kind of ['personal', 'business'] as const) {
      for (const label of rule[kind]?.fields ?? []) {
        if (fieldLabelled(kind, label) === undefined) refuse(`the field "${label}"`);
      }
    }
  }
}
