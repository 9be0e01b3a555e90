/** Test numbers with a fixed behaviour in the sandbox. Every other number gets its code in the inbox at once. */

export type Scenario = 'known_code' | 'dispatch_failed' | 'unsupported' | 'stale' | 'slow_dispatch';

interface ScenarioListing {
  scenario: Scenario;
  description: string;
  destinations: string[];
}

export const slowDispatchSeconds = 10;

/** The digit behind the range's first digits selects the scenario; ten numbers each. */
const scenarios: readonly (readonly [digit: string, scenario: Scenario, description: string])[] = [
  ['1', 'known_code', 'Delivered at once. The code is 12345678, cut to the length that the application has set.'],
  ['2', 'dispatch_failed', 'The provider refuses: the verification becomes failed with dispatch_failed.'],
  ['3', 'unsupported', 'The start is refused with 422 destination_not_supported_for_channel.'],
  [
    '4',
    'stale',
    'Never dispatched: reports get not_ready_to_report; after two minutes it is failed with stale_dispatch.',
  ],
  ['5', 'slow_dispatch', 'Dispatched ten seconds after the start; until then reports get not_ready_to_report.'],
];

/** A US area code that cannot exist, with the fictional exchange; and Ofcom's mobile numbers for drama. */
const ranges = ['199955501', '4477009009'] as const;

export function scenarioOf(destination: string): Scenario | null {
  for (const range of ranges) {
    if (destination.length !== range.length + 2 || !destination.startsWith(range)) continue;
    return scenarios.find(([digit]) => digit === destination[range.length])?.[1] ?? null;
  }
  return null;
}

export function listScenarios(): ScenarioListing[] {
  return scenarios.map(([digit, scenario, description]) => ({
    scenario,
    description,
    destinations: ranges.flatMap((range) => Array.from({ length: 10 }, (_, last) => `${range}${digit}${last}`)),
  }));
}

export function knownCode(length: number): string {
  return '12345678'.slice(0, length);
}
