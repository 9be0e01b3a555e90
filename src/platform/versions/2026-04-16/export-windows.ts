/** Exports were requested by year, month and perhaps day instead of two moments. */
import type { WindowForm } from '../../exports/export-window.ts';

export const windowFormOf = (version: string): WindowForm => (version < '2026-04-16' ? 'calendar' : 'moments');
