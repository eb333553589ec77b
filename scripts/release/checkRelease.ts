// npm run check:release -- TAG [--notes FILE]: checks whether this commit can be released under a tag, and writes the text of the release.
import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { repository } from '../editor/build.ts';
import { checkRelease } from './release.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { notes: { type: 'string' } } });
const [tag] = positionals;
if (tag === undefined || positionals.length > 1) {
  console.error('Usage: npm run check:release -- TAG [--notes FILE]');
  process.exit(2);
}
const { problems, notes } = await checkRelease(repository, tag);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
if (values.notes !== undefined) await writeFile(values.notes, `${notes}\n`);
console.log(`This commit can be released as ${tag}.`);
