import assert from 'node:assert/strict';
import { webviewDocument } from '../../src/vscode/webviewPage.ts';

describe('webviewDocument', () => {
  const addresses = { script: 's.js', style: 's.css', source: 'https://webview.test', nonce: 'n1' };
  const page = { name: 'page', iconName: 'page', title: 'Page', showsPictures: false };

  it('allows only its own script and style sheet', () => {
    const html = webviewDocument(page, addresses);
    assert.match(html, /content="default-src 'none'; script-src 'nonce-n1'; style-src https:\/\/webview\.test"/);
    assert.doesNotMatch(html, /unsafe|style=|<style|onload/);
  });

  it('allows pictures from messages if the page shows pictures', () => {
    const html = webviewDocument({ ...page, showsPictures: true }, addresses);
    assert.match(html, /style-src https:\/\/webview\.test; img-src blob:"/);
  });
});
