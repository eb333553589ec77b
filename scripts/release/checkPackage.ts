// npm run check:package -- [FILE]: checks the VSIX file that "npm run package" has written: its files, its size, and its version.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { repository } from '../editor/build.ts';
import { readVsix, vsixProblems, vsixRules } from './vsix.ts';

const file = path.resolve(process.argv[2] ?? path.join(repository, 'cloud-compute.vsix'));
const { version } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as { version: string };
const vsix = await readVsix(file);
const problems = vsixProblems(vsix, await vsixRules(repository, version));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${path.basename(file)} ${version}: ${vsix.files.length} files, ${vsix.bytes} bytes.`);
