import path from 'node:path';
import process from 'node:process';
import { builtVariable, repository } from '../../scripts/editor/build.ts';

/*
 * Programs that tests start. With the build of `npm test`, they are the files of `dist`, which start in less than half of the processor time
 * of the sources. Otherwise, they are the sources, so that a test of a changed file needs no build.
 */

const isBuilt = process.env[builtVariable] !== undefined;
const program = (built: string, source: string): string => path.join(repository, isBuilt ? built : source);

export const CLI_PROGRAM = program('dist/cli.js', 'test/cli/fromSources.ts');
export const PLATFORM_PROGRAM = program('dist/platform.js', 'src/platform/daemon/main.ts');
export const SIMULATION_PROGRAM = program('dist/simulation.js', 'src/platform/simulation/main.ts');
