/** Worlds of a running server: made, used, reset and ended over HTTP, each apart from the others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start, type Started } from './support/boot.ts';
