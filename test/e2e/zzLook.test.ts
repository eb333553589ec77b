import http from 'node:http';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { repository } from '../../scripts/editor/build.ts';
import { chooseFromMenu, chooseQuickPick, clickAction, createEndpoint, openFile, row, startLocalPlatform, waitForLine } from './actions.ts';
import { openEditor, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

describe('look', function () {
  this.timeout(60 * 60_000);
  it('serves', async () => {
    const workspace = await temporaryFolder();
    await cp(path.join(repository, 'samples', process.env['SAMPLE'] ?? 'hello-queue'), workspace.path, { recursive: true });
    const editor: Editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    let number = 0;
    const look = (what: string) => editor.screenshot(`look-${String(++number).padStart(2, '0')}-${what}`);
    const widget = () => editor.page.locator('.quick-input-widget');
    const theme = async (name: string) => {
      await editor.runCommand('Preferences: Color Theme');
      await widget().locator('input').first().fill(name);
      await editor.page.waitForTimeout(600);
      await editor.page.keyboard.press('Enter');
      await editor.page.waitForTimeout(1200);
    };
    await new Promise<void>((done) => {
      const scope = { editor, page: editor.page, look, widget, theme, row, chooseQuickPick, chooseFromMenu, clickAction, createEndpoint, startLocalPlatform, openFile, waitForLine, workspace };
      const server = http.createServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => (body += chunk));
        request.on('end', async () => {
          if (body === 'quit') { response.end('bye'); server.close(); done(); return; }
          try {
            const run = new Function(...Object.keys(scope), `return (async () => { ${body} })()`);
            response.end(JSON.stringify((await run(...Object.values(scope))) ?? null, null, 1));
          } catch (error) { response.end(String((error as Error).stack)); }
        });
      });
      server.listen(7791, '127.0.0.1');
    });
    await editor.close();
    await workspace.remove();
  });
});
