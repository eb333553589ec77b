// npm run generate: writes the files and sections that are generated from the contract and package.json.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedFiles } from './docs/generated.ts';
import { repository } from './editor/build.ts';

for (const [file, content] of await generatedFiles()) await writeFile(path.join(repository, file), content);
