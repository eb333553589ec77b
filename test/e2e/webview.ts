import type { Frame, Page } from 'playwright-core';

export type FrameTest = (frame: Frame) => boolean | Promise<boolean>;

/**
 * Resolves with the frame of a webview's document. The editor nests it two frames deep, and the inner frame has the title of the panel.
 * Rejects if no frame matches within `timeoutMs`.
 */
export async function webviewFrame(page: Page, which: string | FrameTest, timeoutMs = 30_000): Promise<Frame> {
  const fits: FrameTest = typeof which === 'string' ? (frame) => hasTitle(frame, which) : which;
  const found = Promise.withResolvers<Frame>();
  const look = async (): Promise<void> => {
    for (const frame of page.frames()) {
      // A frame can be detached during the call.
      if (await Promise.resolve(fits(frame)).catch(() => false)) {
        found.resolve(frame);
        return;
      }
    }
  };
  const onChange = (): void => void look();
  const timer = setTimeout(() => {
    const urls = page.frames().map((frame) => frame.url());
    found.reject(new Error(`No webview ${describe(which)} within ${timeoutMs} ms. Frames:\n${urls.join('\n')}`));
  }, timeoutMs);
  page.on('frameattached', onChange).on('framenavigated', onChange);
  // Polls, because the title is set after the frame is attached and no event reports it.
  const again = setInterval(onChange, 200);
  try {
    await look();
    return await found.promise;
  } finally {
    clearTimeout(timer);
    clearInterval(again);
    page.off('frameattached', onChange).off('framenavigated', onChange);
  }
}

async function hasTitle(frame: Frame, title: string): Promise<boolean> {
  const element = await frame.frameElement();
  return (await element.getAttribute('id')) === 'active-frame' && (await element.getAttribute('title')) === title;
}

function describe(which: string | FrameTest): string {
  return typeof which === 'string' ? `with the title "${which}"` : 'that the test accepts';
}
