/**
 * Runs a program of this repository with a Node that can run TypeScript as it is: `node bin/launch.cjs FILE ARGUMENTS`.
 * With an old Node it hands over to the Node 24 in node_modules, or says in one sentence what is missing. So this file
 * is plain CommonJS without anything that an old Node cannot parse.
 *
 * npm puts the Node of node_modules before the machine's. If the machine's is new enough it is used all the same: that is
 * the one its owner keeps up to date.
 */
'use strict';

const { spawn } = require('node:child_process');
const { existsSync, realpathSync } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { programFile } = require('./program.cjs');

const oldest = 24;
const root = path.join(__dirname, '..');
const modules = path.join(__dirname, 'modules.cjs');

/** `file` is given from the root of the repository; `flags` are options of Node that the program should run with. */
function launch(file, args, flags) {
  const target = programFile(file);
  keepCompiled();
  const wanted = (flags || []).filter((flag) => process.execArgv.indexOf(flag) < 0);
  const words = process.execArgv.concat(wanted, '--require', modules, target, args);
  if (parseInt(process.versions.node, 10) >= oldest) {
    const machines = nodeOfTheMachine();
    // Replaces this process, so that nobody has to pass signals on. Windows cannot; there it runs with this Node.
    if ((machines || wanted.length > 0) && process.platform !== 'win32') {
      const node = machines || process.execPath;
      process.execve(node, [node].concat(words), process.env);
    }
    process.argv = [process.argv[0], target].concat(args);
    require(modules);
    return import(pathToFileURL(target).href);
  }
  const own = path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(own)) return handOver(own, words);
  process.stderr.write(
    `Trunkline needs Node ${oldest} or newer and this is Node ${process.versions.node}: ` +
      (existsSync(path.join(root, 'package-lock.json'))
        ? 'run "npm ci" with install scripts allowed, which brings the right Node along, or install one.\n'
        : 'install a newer one.\n'),
  );
  process.exitCode = 1;
}

/**
 * Sources are stripped of their types and compiled once, and kept. On before the first of them is loaded: one that is not
 * kept makes Node load its stripper, which costs every start 0.1 s of processor time and 15 MiB.
 */
function keepCompiled() {
  if (!process.env.NODE_COMPILE_CACHE)
    process.env.NODE_COMPILE_CACHE = path.join(root, 'node_modules/.cache/trunkline');
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache) enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/** The Node that runs npm, if this one is that of node_modules and that one is new enough; npm says where and which it is. */
function nodeOfTheMachine() {
  const node = process.env.npm_node_execpath;
  const version = /\bnode\/v(\d+)/.exec(process.env.npm_config_user_agent || '');
  const isPackaged = (file) =>
    realpathSync(file).indexOf(path.join(realpathSync(root), 'node_modules') + path.sep) === 0;
  if (!node || !version || parseInt(version[1], 10) < oldest || !isPackaged(process.execPath)) return null;
  return existsSync(node) && !isPackaged(node) ? node : null;
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
