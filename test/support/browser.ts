/** The system's Chromium, without a window. */
import { type Browser, chromium } from 'playwright-core';

/** `CHROMIUM` names another one than the usual. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
