/** The program that key-pairs.ts runs: writes the pair to its standard output, which only its parent reads. */
import { generateKeyPairSync } from 'node:crypto';

const pair = generateKeyPairSync('rsa', {
  modulusLength: Number(process.argv[2]),
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
process.stdout.write(JSON.stringify(pair));
