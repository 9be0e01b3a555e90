import type { PlatformResource } from '../declare.ts';
import { encryptedFiles } from './files/encrypted-files.ts';
import { publicKeys } from './files/public-keys.ts';

/** The types of regulation paperwork. */
export const regulationResources: readonly PlatformResource[] = [publicKeys, encryptedFiles];
