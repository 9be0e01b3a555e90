/** The icons of the menu's sections. */
import {
  IconBuildingStore,
  IconCode,
  IconCoins,
  IconFlask,
  IconHash,
  IconHome,
  IconPhone,
  IconReceipt,
  IconServerCog,
  IconShieldCheck,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import type { SectionIcon } from '../../../src/interfaces/panel/pages/page-section.ts';

export const sectionIcons: Readonly<Record<SectionIcon, TablerIcon>> = {
  home: IconHome,
  numbers: IconHash,
  voice: IconPhone,
  verify: IconShieldCheck,
  developers: IconCode,
  billing: IconReceipt,
  sandbox: IconFlask,
  team: IconUsers,
  customers: IconBuildingStore,
  money: IconCoins,
  operations: IconServerCog,
};
