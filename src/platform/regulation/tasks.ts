/** The jobs of regulation paperwork. */
import { defineTask } from '../../jobs/task.ts';
import type { ReviewedType } from './decision.ts';

type AutoDecision = { type: ReviewedType; id: string; action: 'approve' | 'reject' };

export const autoDecideTask = defineTask<AutoDecision>('regulation.auto_decide', { priority: 'orders' });
export const expireFileTask = defineTask<{ encrypted_file_id: string }>('regulation.expire_file', {
  priority: 'background',
});
export const forgetUploadTask = defineTask<{ stored_file_id: string }>('regulation.forget_upload', {
  priority: 'background',
});
