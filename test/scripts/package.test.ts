import assert from 'node:assert/strict';
import { listFiles, PackageManager } from '@vscode/vsce';
import { repository } from '../../scripts/editor/build.ts';

/** Files that the package can contain. Builds write only to dist. */
const allowedFiles =
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/(extension|platform|cli|imageThread)\.js|dist\/(platform|cli)-[\w-]+\.js|dist\/font\/\w+\.(png|json|txt)|dist\/chunks\/[\w-]+\.js|dist\/webviews\/\w+\.(js|css)|media\/languages\/[\w.-]+\.(json|svg)|media\/skills\/[\w-]+\/[\w-]+\.(md|py)|media\/(activity-bar\.svg|icon\.png|webviews\/[\w-]+\.svg|walkthrough\/\w+-(dark|light)\.webp)|samples\/hello-queue\/([\w-]+\/)?[\w.-]+\.(md|mjs|json|yaml))$/;

describe('VSIX package', () => {
  it('contains only the allowed files', async () => {
    const files = await listFiles({ cwd: repository, packageManager: PackageManager.None });
    assert.deepEqual(
      files.filter((file) => !allowedFiles.test(file)),
      [],
    );
    for (const file of ['package.json', 'README.md', 'LICENSE', 'media/icon.png', 'media/activity-bar.svg']) {
      assert.ok(files.includes(file), `${file} is missing`);
    }
  });
});
