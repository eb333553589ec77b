export interface ImageEditPageAddresses {
  readonly script: string;
  readonly style: string;
  /** Source of the style sheet: `webview.cspSource`. */
  readonly source: string;
  /** Random text, new for each page. */
  readonly nonce: string;
}

/**
 * Returns the HTML of the image editor. Its policy allows one script, one style sheet, and pictures whose bytes the page has received. It
 * allows no network access and no inline code.
 */
export function imageEditPage({ script, style, source, nonce }: ImageEditPageAddresses): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}; img-src blob:`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Edit Image</title>
    <link rel="stylesheet" href="${style}">
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </head>
  <body></body>
</html>`;
}
