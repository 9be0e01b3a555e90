/**
 * Reads and checks the rule files of countries, Trunkline's own or an operator's, and knows the labels of the identity
 * fields that they may require.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { IdentityType } from '../../db/tables/regulation.ts';
import { decimalPattern } from '../../fields.ts';
import { OperatorError } from '../../operator-error.ts';

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

const words = <const W extends readonly string[]>(list: W) => Type.Union(list.map((word) => Type.Literal(word)));
const strict = { additionalProperties: false };
const Name = Type.String({ minLength: 1 });
const Count = Type.Integer({ minimum: 0, maximum: 100 });
const Types = Type.Array(Name, { minItems: 1 });
const IdentityKinds = words(['any', 'personal', 'business'] as const);
const IdentityArea = words(['world_wide', 'country'] as const);

const IdentityRule = Type.Object(
  {
    area: IdentityArea,
    proofs: Count,
    proof_types: Type.Array(Name),
    fields: Type.Array(words(mandatoryFields)),
    permanent_document: Type.Optional(Name),
    onetime_document: Type.Optional(Name),
  },
  strict,
);

const AddressRule = Type.Object(
  {
    types: Types,
    identity: IdentityKinds,
    personal: Type.Optional(IdentityRule),
    business: Type.Optional(IdentityRule),
    address: Type.Object(
      {
        area: words(['world_wide', 'country', 'area', 'city'] as const),
        proofs: Count,
        proof_types: Type.Array(Name),
      },
      strict,
    ),
    service_description: Type.Boolean(),
    restriction: Type.String(),
  },
  strict,
);

const EmergencyIdentity = Type.Object({ area: IdentityArea, fields: Type.Array(Name) }, strict);

const EmergencyRule = Type.Object(
  {
    types: Types,
    identity: IdentityKinds,
    personal: Type.Optional(EmergencyIdentity),
    business: Type.Optional(EmergencyIdentity),
    address: Type.Object(
      {
        area: words(['country', 'area', 'city'] as const),
        fields: Type.Array(words(['State/Province/Region'] as const)),
      },
      strict,
    ),
    setup_time: Name,
    restriction: Type.Union([Type.String(), Type.Null()]),
    /** A decimal; null if it is not sold. */
    monthly_price: Type.Union([Type.String({ pattern: decimalPattern({ whole: 6 }) }), Type.Null()]),
  },
  strict,
);

const Country = Type.Object(
  {
    country: Type.String({ pattern: '^[A-Z]{2}$' }),
    address: Type.Array(AddressRule),
    emergency: Type.Array(EmergencyRule),
  },
  strict,
);

const ProofTypes = Type.Array(
  Type.Object(
    {
      entity_type: words(['Personal', 'Business', 'Address'] as const),
      name: Name,
      valid_days: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    },
    strict,
  ),
);

const Documents = Type.Array(
  Type.Object({ name: Name, permanent: Type.Boolean(), lines: Type.Array(Type.String()) }, strict),
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

function read<S extends TSchema>(file: string, schema: S): Static<S> {
  const validator = Compile(schema);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const isValid = (value: unknown): value is Static<S> => validator.Check(value);
  if (isValid(content)) return content;
  const [problem] = validator.Errors(content);
  throw new OperatorError(`${file}: ${problem?.instancePath ?? ''} ${problem?.message ?? 'is not valid'}.`);
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
