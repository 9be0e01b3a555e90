/** The jobs of emergency calling services. */
import { defineTask } from '../../jobs/task.ts';

type ServicePayload = { emergency_calling_service_id: string };

export const renewServiceTask = defineTask<ServicePayload>('emergency.renew', { priority: 'background' });
/** Added by SQL when a number leaves its service (migration 0100). */
export const cancelEmptyTask = defineTask<ServicePayload>('emergency.cancel_empty', { priority: 'background' });
