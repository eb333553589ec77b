import assert from 'node:assert/strict';
import { listFiles, PackageManager } from '@vscode/vsce';
import { repository } from '../../scripts/editor/build.ts';

/** Everything that may ship; what a build adds lies in dist. */
const ships =
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/(extension|platform|imageThread)\.js|dist\/platform-[\w-]+\.js|dist\/font\/\w+\.(png|json|txt)|dist\/chunks\/[\w-]+\.js|dist\/webviews\/\w+\.(js|css)|dist\/schemas\/[\w.]+\.json|media\/(activity-bar\.svg|icon\.png|webviews\/[\w-]+\.svg))$/;

describe('the package', () => {
  it('holds what ships and nothing else', async () => {
    const files = await listFiles({ cwd: repository, packageManager: PackageManager.None });
    assert.deepEqual(
      files.filter((file) => !ships.test(file)),
      [],
    );
    for (const file of ['package.json', 'README.md', 'LICENSE', 'media/icon.png', 'media/activity-bar.svg']) {
      assert.ok(files.includes(file), `${file} is missing`);
    }
  });
});
