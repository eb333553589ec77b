// Writes the OpenAPI document of the contract to openapi.json. Run it when the contract has changed: npm run openapi
import { writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { openApiDocument } from '../src/contract/openapi.ts';

const file = new URL('../openapi.json', import.meta.url);
const options = await resolveConfig(file);
await writeFile(file, await format(JSON.stringify(openApiDocument()), { ...options, parser: 'json' }));
