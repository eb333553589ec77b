import assert from 'node:assert/strict';
import { webviewDocument, webviewTexts } from '../../src/kit/webviewPage.ts';

describe('webviewDocument', () => {
  const addresses = { script: 's.js', style: 's.css', source: 'https://webview.test', nonce: 'n1' };
  const page = { name: 'page', iconName: 'page', title: 'Page', showsPictures: false };
  const english = webviewTexts('en', undefined, () => []);

  it('allows only its own script and style sheet', () => {
    const html = webviewDocument(page, addresses, english);
    assert.match(html, /content="default-src 'none'; script-src 'nonce-n1'; style-src https:\/\/webview\.test"/);
    assert.doesNotMatch(html, /unsafe|style=|<style|onload/);
  });

  it('allows pictures from messages if the page shows pictures', () => {
    const html = webviewDocument({ ...page, showsPictures: true }, addresses, english);
    assert.match(html, /style-src https:\/\/webview\.test; img-src blob:"/);
  });

  it('contains only its own texts of the language, as data, which cannot end their script element', () => {
    const bundle = { 'Try Again': '</script><script>alert(1)</script><!--' };
    const all = { ...bundle, 'Delete “{0}”?': '删除“{0}”？' };
    const html = webviewDocument(
      { ...page, title: '</title>&amp;' },
      addresses,
      webviewTexts('zh-cn', all, () => ['Try Again']),
    );
    const data = /<script type="application\/json" id="texts">(.*?)<\/script>/.exec(html)?.[1] ?? '';
    assert.deepEqual(JSON.parse(data), bundle);
    assert.doesNotMatch(data, /</);
    assert.match(html, /<title>&lt;\/title>&amp;amp;<\/title>/);
  });

  it('names the language of the texts, which is English without texts of the language', () => {
    assert.match(
      webviewDocument(
        page,
        addresses,
        webviewTexts('zh-cn', {}, () => []),
      ),
      /<html lang="zh-cn">/,
    );
    assert.match(
      webviewDocument(
        page,
        addresses,
        webviewTexts('de', undefined, () => []),
      ),
      /<html lang="en">/,
    );
  });
});
