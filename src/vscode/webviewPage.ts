/** A page of src/webviews. */
export interface WebviewPage {
  /** Name of its folder, its script, and its style sheet. */
  readonly name: string;
  /** Name of its icons in media/webviews, without the theme. */
  readonly iconName: string;
  readonly title: string;
  /** Whether the page shows pictures. Their bytes come in messages, because the page has no network access. */
  readonly showsPictures: boolean;
}

export interface WebviewAddresses {
  readonly script: string;
  readonly style: string;
  /** Source of the style sheet: `webview.cspSource`. */
  readonly source: string;
  /** Random text, new for each document. */
  readonly nonce: string;
}

/** Returns the HTML document of a page. Its policy allows one script and one style sheet, no network access, and no inline code. */
export function webviewDocument(
  { title, showsPictures }: WebviewPage,
  { script, style, source, nonce }: WebviewAddresses,
): string {
  const pictures = showsPictures ? '; img-src blob:' : '';
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}${pictures}`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="${style}">
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </head>
  <body></body>
</html>`;
}
