import type { Page } from 'playwright-core';

/** Shows a caption over the lower part of a page, or removes it if it is empty. */
export async function showCaption(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const id = 'picture-caption';
    document.getElementById(id)?.remove();
    const text = ${JSON.stringify(text)};
    if (text !== '') {
      const caption = document.createElement('div');
      caption.id = id;
      caption.textContent = text;
      Object.assign(caption.style, {
        position: 'fixed', left: '50%', bottom: '56px', transform: 'translateX(-50%)', zIndex: '100000',
        padding: '14px 28px', borderRadius: '10px', background: '#0f6cbd', color: '#ffffff',
        font: '600 24px sans-serif', boxShadow: '0 4px 20px rgba(0, 0, 0, 0.5)', whiteSpace: 'nowrap',
      });
      document.body.append(caption);
    }
  }`);
}
