import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { build, repository } from '../../scripts/editor/build.ts';

/* A development build has a comment before the code of each module. The notices come from the metadata of the bundler. */

const dist = path.join(repository, 'dist');
const MODULE = /^\s*(?:\/\/|\/\*) (\S*node_modules\/\S+)(?: \*\/)?$/gm;
const TITLE = /^-+\n(\S+ \S+) \(/gm;

describe('third-party notices', function () {
  let notices = '';
  before(async () => {
    await build();
    notices = await readFile(path.join(dist, 'THIRD_PARTY_NOTICES.txt'), 'utf8');
  });

  /** Returns the folders of the packages in the bundles of a folder, without duplicates. */
  async function bundledPackages(folder: string): Promise<string[]> {
    const bundles = (await readdir(folder)).filter((name) => /\.(js|css)$/.test(name));
    assert.ok(bundles.length > 0);
    const texts = await Promise.all(bundles.map((name) => readFile(path.join(folder, name), 'utf8')));
    const modules = texts.flatMap((text) => Array.from(text.matchAll(MODULE), ([, file = '']) => file));
    return [...new Set(modules.flatMap((file) => packageOf(path.resolve(repository, file)) ?? []))];
  }

  it('name each package in a program or a page with its version, and no other package', async () => {
    const folders = [...(await bundledPackages(dist)), ...(await bundledPackages(path.join(dist, 'webviews')))];
    const packages = await Promise.all(
      folders.map(async (folder) => {
        const { name, version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
          readonly name: string;
          readonly version: string;
        };
        return `${name} ${version}`;
      }),
    );
    assert.ok(packages.length > 0);
    assert.deepEqual(
      Array.from(notices.matchAll(TITLE), ([, title = '']) => title),
      [...new Set(packages)].sort(),
    );
  });

  it('contain the license text of each package', async () => {
    const texts = notices.split(/^-{80}\n/m).slice(1);
    assert.ok(texts.length > 0);
    for (const text of texts) {
      assert.match(text, /copyright/i, text);
      assert.match(text, /permission|redistribution|license/i, text);
      assert.ok(text.length > 500, text);
    }
    const license = await readFile(path.join(repository, 'node_modules', 'zod', 'LICENSE'), 'utf8');
    assert.ok(notices.includes(license.trim()));
  });
});

/** Returns the folder of the package that contains a file, or undefined for a file of this repository. */
function packageOf(file: string): string | undefined {
  if (!file.includes(`${path.sep}node_modules${path.sep}`)) return undefined;
  const folder = path.dirname(file);
  const isPackage = existsSync(path.join(folder, 'package.json')) && /node_modules.(@[^\\/]+.)?[^\\/]+$/.test(folder);
  return isPackage ? folder : packageOf(folder);
}
