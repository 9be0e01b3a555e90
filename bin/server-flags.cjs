/**
 * What a server asks of V8, to bound its memory (docs/performance.md). `npm start` and the image name them too, which saves a start
 * the second Node that would otherwise be needed to set them.
 */
'use strict';

module.exports = {
  serverFlags: [
    // How much young objects may take before they are looked at.
    '--max-semi-space-size=4',
    // How many threads help V8; each has memory of its own.
    '--v8-pool-size=2',
    // How far the rest may grow before it is looked at. Left alone, V8 lets it grow fourfold after a quiet start and keeps that memory.
    '--heap-growing-percent=80',
  ],
};
