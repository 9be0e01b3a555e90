import { validationsOf } from './requirement-validations.ts';

/** A dry run: would this identity and address satisfy the requirement? */
export const addressRequirementValidations = validationsOf('address_requirement', {
  group: 'Regulation',
  title: 'Check an identity and address against a requirement',
  summary: 'A dry run of an identity and address against a requirement.',
  formerPaths: ['/requirement_validations'],
});
