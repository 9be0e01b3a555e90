/** One call of a phone in the browser: who, how long, what can be done, and how it sounds. */
import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { showNumber } from '../parts/format.ts';
import type { BrowserPhone, PhoneCall, PhoneState } from './browser-phone.ts';
import { type Quality, qualityOf, soundsLike } from './quality.ts';

const phases = { ringing: 'Incoming call', calling: 'Calling …', active: 'In a call' } as const;
const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];

export function CallPanel({ phone, state: { call, said } }: { phone: BrowserPhone; state: PhoneState }) {
  if (call === null) {
    return said === null ? null : (
      <Alert variant="light" color="gray" role="status" maw={720}>
        {said}
      </Alert>
    );
  }
  return (
    <Paper withBorder p="md" maw={720} component="section" aria-label="Call">
      <Stack gap="sm">
        <Group justify="space-between">
          <Stack gap={0}>
            <Text fw={600} role="status">
              {phases[call.phase]}
            </Text>
            <Text>{/^\d+$/.test(call.party) ? showNumber(call.party) : call.party}</Text>
          </Stack>
          <Group>
            {call.phase === 'ringing' && (
              <Button color="teal" onClick={() => phone.answer()}>
                Answer
              </Button>
            )}
            {call.phase === 'active' && (
              <Button variant="default" aria-pressed={call.isMuted} onClick={() => phone.mute(!call.isMuted)}>
                {call.isMuted ? 'Unmute' : 'Mute'}
              </Button>
            )}
            <Button color="red" onClick={() => phone.hangUp()}>
              {call.phase === 'ringing' ? 'Decline' : 'Hang up'}
            </Button>
          </Group>
        </Group>
        {call.phase === 'active' && <Active phone={phone} call={call} />}
      </Stack>
    </Paper>
  );
}

function Active({ phone, call }: { phone: BrowserPhone; call: PhoneCall }) {
  const [quality, setQuality] = useState<Quality | null>(null);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const look = async () => {
      setSeconds(Math.round((Date.now() - (call.since ?? Date.now())) / 1000));
      const { peer } = phone;
      if (peer !== null) setQuality(await qualityOf(peer));
    };
    const timer = setInterval(() => void look(), 1_000);
    return () => clearInterval(timer);
  }, [phone, call.since]);
  return (
    <Group align="flex-start" gap="xl">
      <SimpleGrid cols={3} spacing={4} verticalSpacing={4} role="group" aria-label="Keys">
        {keys.map((key) => (
          <Button key={key} variant="default" size="compact-md" onClick={() => phone.press(key)}>
            {key}
          </Button>
        ))}
      </SimpleGrid>
      <Stack gap={2} role="group" aria-label="Sound">
        <Text size="sm">
          {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
        </Text>
        {quality && (
          <>
            <Text size="sm" {...(soundsLike(quality) === 'poor' && { c: 'red' })}>
              Sound: {soundsLike(quality)}, MOS {quality.mos.toFixed(1)}, {quality.codec}
            </Text>
            <Text size="sm" c="dimmed">
              Loss {quality.lossPercent.toFixed(1)} %, jitter {quality.jitterMs.toFixed(0)} ms
              {quality.roundTripMs !== null && `, round trip ${quality.roundTripMs.toFixed(0)} ms`}
            </Text>
            <Text size="sm" c="dimmed">
              {quality.heard} packets heard, {quality.sent} sent
            </Text>
          </>
        )}
      </Stack>
    </Group>
  );
}
