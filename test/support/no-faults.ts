/**
 * For every file of tests: none may leave behind a promise that was rejected and handled by nobody. Vitest sees to it
 * in its own processes; the program's processes log it, wherever a test started them.
 */
import { afterAll, expect } from 'vitest';
import { takeFaults } from './trunkline.ts';

afterAll(() => expect(takeFaults().join('\n'), 'faults that processes of the program have logged').toBe(''));
