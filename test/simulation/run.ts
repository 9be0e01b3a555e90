/**
 * One simulation in a Node process of its own, whose timers and randomness it replaces: `node run.ts OPTIONS`, as
 * JSON. Prints what became of it as JSON.
 */
import { bringBack, oldFaults } from './old-faults.ts';

const { oldFault, isWatched, ...options } = JSON.parse(process.argv[2] ?? '{}');
const fault = oldFaults.find(({ name }) => name === oldFault);
if (fault !== undefined) bringBack(fault);
const { simulate } = await import('./simulation.ts');
const outcome = await simulate({
  ...options,
  watch: (line) => {
    if (isWatched) process.stderr.write(`${line}\n`);
  },
});
process.stdout.write(JSON.stringify(outcome), () => process.exit(0));
