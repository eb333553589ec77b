import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface Shrinkwrap {
  readonly packages: Record<
    string,
    { readonly version?: string; readonly resolved?: string; dependencies?: Record<string, string> }
  >;
}

/**
 * Replaces the dependencies of a package on Git repositories by the releases with the same versions. Older versions of VS Code depend on a
 * commit of a native module, and many machines reach only the registry of npm.
 *
 * @param folder folder with package.json and npm-shrinkwrap.json
 */
export async function replaceGitDependencies(folder: string): Promise<void> {
  const [manifestFile, shrinkwrapFile] = ['package.json', 'npm-shrinkwrap.json'].map((name) =>
    path.join(folder, name),
  ) as [string, string];
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as { dependencies: Record<string, string> };
  const shrinkwrap = JSON.parse(await readFile(shrinkwrapFile, 'utf8')) as Shrinkwrap;
  const root = shrinkwrap.packages[''];
  for (const name of Object.keys(manifest.dependencies)) {
    const place = `node_modules/${name}`;
    const { resolved, version } = shrinkwrap.packages[place] ?? {};
    if (version === undefined || resolved?.startsWith('git+') !== true) continue;
    manifest.dependencies[name] = version;
    if (root?.dependencies) root.dependencies[name] = version;
    // npm reads the dependencies of the release, which include its compiled variants.
    Reflect.deleteProperty(shrinkwrap.packages, place);
  }
  await writeFile(manifestFile, JSON.stringify(manifest, undefined, 2));
  await writeFile(shrinkwrapFile, JSON.stringify(shrinkwrap, undefined, 2));
}
