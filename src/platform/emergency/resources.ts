import type { PlatformResource } from '../declare.ts';
import { emergencyCallingServices } from './emergency-calling-services.ts';
import { emergencyRequirementValidations } from './emergency-requirement-validations.ts';
import { emergencyRequirements } from './emergency-requirements.ts';
import { emergencyVerifications } from './emergency-verifications.ts';

/** The types of emergency calling. */
export const emergencyResources: readonly PlatformResource[] = [
  emergencyRequirements,
  emergencyRequirementValidations,
  emergencyCallingServices,
  emergencyVerifications,
];
