import { needsFeature } from '../declare.ts';
import { validationsOf } from '../regulation/requirement-validations.ts';

/** A dry run: would this identity and address do for emergency calling? */
export const emergencyRequirementValidations = validationsOf('emergency_requirement', {
  group: 'Emergency',
  title: 'Check an identity and address against an emergency requirement',
  summary: 'A dry run of an identity and address against an emergency requirement.',
  guard: needsFeature('emergency'),
});
