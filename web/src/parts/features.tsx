/** What a number can do, as icons with their words beside or on hover. */
import { Tooltip, VisuallyHidden } from '@mantine/core';
import {
  IconMessage,
  IconPhoneCall,
  IconPhoneOutgoing,
  IconPrinter,
  IconShieldCheck,
  type TablerIcon,
} from '@tabler/icons-react';
import { showWords } from './format.ts';

const icons: readonly [word: RegExp, Icon: TablerIcon][] = [
  [/sms|a2p|p2p/, IconMessage],
  [/fax|t38/, IconPrinter],
  [/out/, IconPhoneOutgoing],
  [/emergency/, IconShieldCheck],
  [/voice/, IconPhoneCall],
];

/** Several kinds of messages share an icon. */
export function Features({ names }: { names: readonly string[] }) {
  const groups = new Map<TablerIcon | null, string[]>();
  for (const name of names) {
    const icon = icons.find(([word]) => word.test(name))?.[1] ?? null;
    groups.set(icon, [...(groups.get(icon) ?? []), showWords(name)]);
  }
  return (
    <ul className="features">
      {[...groups].map(([Icon, words]) =>
        Icon === null ? (
          <li key="others">{words.join(', ')}</li>
        ) : (
          <Tooltip key={words[0]} label={words.join(', ')}>
            <li>
              <Icon size={17} stroke={1.7} aria-hidden />
              <VisuallyHidden>{words.join(', ')}</VisuallyHidden>
            </li>
          </Tooltip>
        ),
      )}
    </ul>
  );
}
