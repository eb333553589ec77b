import type { BuildOptions, Plugin } from 'esbuild';

export const replaceNodeModules: Plugin;
export function browserBuild(common: BuildOptions): BuildOptions;
