// Lowers the limits of a container, or of a program that is started in one, to those of this process. Takes the arguments of an OCI runtime.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const bundle = argumentOf('--bundle', '-b');
if (bundle) lower(path.join(bundle, 'config.json'), ({ process: main }) => main);
const program = argumentOf('--process', '-p');
if (program) lower(program, (main) => main);

/** @param {string[]} names */
function argumentOf(...names) {
  const at = process.argv.findIndex((argument) => names.includes(argument));
  return at < 0 ? undefined : process.argv[at + 1];
}

/**
 * @typedef {{ rlimits?: { type: string, hard: number, soft: number }[], oomScoreAdj?: number }} ProcessDescription
 * @param {(config: { process?: ProcessDescription } & ProcessDescription) => ProcessDescription | undefined} processIn returns the
 *   description of a process in the file
 */
function lower(file, processIn) {
  if (!existsSync(file)) return;
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const main = processIn(config);
  const limits = { RLIMIT_NOFILE: hardLimit('Max open files'), RLIMIT_NPROC: hardLimit('Max processes') };
  for (const limit of main?.rlimits ?? []) {
    const most = limits[limit.type] ?? Infinity;
    limit.hard = Math.min(limit.hard, most);
    limit.soft = Math.min(limit.soft, most);
  }
  if (main?.oomScoreAdj < 0) main.oomScoreAdj = 0;
  writeFileSync(file, JSON.stringify(config));
}

/** @param {string} name as in the table of limits */
function hardLimit(name) {
  const row =
    readFileSync('/proc/self/limits', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(name)) ?? '';
  const [, hard = ''] = row.slice(name.length).trim().split(/\s+/);
  return hard === 'unlimited' ? Infinity : Number(hard);
}
