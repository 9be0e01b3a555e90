/** The job that decides a submission of an account with automatic decisions. */
import { defineTask } from '../../jobs/task.ts';
import type { ReviewedType } from './decision.ts';

type AutoDecision = { type: ReviewedType; id: string; action: 'approve' | 'reject' };

export const autoDecideTask = defineTask<AutoDecision>('regulation.auto_decide', { priority: 'orders' });
