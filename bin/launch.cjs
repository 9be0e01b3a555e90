/**
 * Runs a program of this repository with a Node that can run TypeScript as it is: `node bin/launch.cjs FILE ARGUMENTS`.
 * With an old Node it hands over to the Node 24 in node_modules, or says in one sentence what is missing. By hand,
 * because an old Node cannot load anything else of this repository: it is plain CommonJS without anything that an old
 * Node cannot parse.
 */
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const oldest = 24;
const root = path.join(__dirname, '..');

/** `file` is given from the root of the repository. */
function launch(file, args) {
  const program = path.join(root, file);
  // Node keeps what it has compiled, also of programs that this one starts: a start takes half the time.
  if (!process.env.NODE_COMPILE_CACHE)
    process.env.NODE_COMPILE_CACHE = path.join(root, 'node_modules/.cache/trunkline');
  if (parseInt(process.versions.node, 10) >= oldest) {
    require('node:module').enableCompileCache();
    process.argv = [process.argv[0], program].concat(args);
    return import(pathToFileURL(program).href);
  }
  const own = path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(own)) return handOver(own, process.execArgv.concat(program, args));
  process.stderr.write(
    `Trunkline needs Node ${oldest} or newer and this is Node ${process.versions.node}: ` +
      (existsSync(path.join(root, 'package-lock.json'))
        ? 'run "npm ci" with install scripts allowed, which brings the right Node along, or install one.\n'
        : 'install a newer one.\n'),
  );
  process.exitCode = 1;
}

/** The other Node is a child: it gets the signals that come here, and its end is ours. */
function handOver(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be run: ${error.message}.\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

module.exports = { launch };

if (require.main === module) launch(process.argv[2], process.argv.slice(3));
