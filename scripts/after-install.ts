/** What npm runs after an install (`prepare`): one without the packages that build things is not an error. */
const isInstalled = await import('vite').then(
  () => true,
  () => false,
);
if (isInstalled) {
  const [{ buildPanel }, { bundlePackages }, { bundleProgram }] = await Promise.all([
    import('../web/build.ts'),
    import('./bundle-packages.ts'),
    import('./bundle-program.ts'),
  ]);
  await buildPanel();
  await bundlePackages();
  await bundleProgram();
} else process.stderr.write('The panel is not built: its packages were left out of this install.\n');
