// Lowers the limits in the bundle of a container to those of this process. Takes the arguments of an OCI runtime.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const at = process.argv.findIndex((argument) => argument === '--bundle' || argument === '-b');
const file = at < 0 ? '' : path.join(process.argv[at + 1] ?? '', 'config.json');
if (existsSync(file)) {
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const limits = { RLIMIT_NOFILE: hardLimit('Max open files'), RLIMIT_NPROC: hardLimit('Max processes') };
  for (const limit of config.process?.rlimits ?? []) {
    const most = limits[limit.type] ?? Infinity;
    limit.hard = Math.min(limit.hard, most);
    limit.soft = Math.min(limit.soft, most);
  }
  if (config.process?.oomScoreAdj < 0) config.process.oomScoreAdj = 0;
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
