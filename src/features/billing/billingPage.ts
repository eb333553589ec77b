export interface BillingPageAddresses {
  readonly script: string;
  readonly style: string;
  /** Source of the style sheet: `webview.cspSource`. */
  readonly source: string;
  /** Random text, new for each page. */
  readonly nonce: string;
}

/** Returns the HTML of the billing view. Its policy allows one script and one style sheet, no network access, and no inline code. */
export function billingPage({ script, style, source, nonce }: BillingPageAddresses): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Billing</title>
    <link rel="stylesheet" href="${style}">
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </head>
  <body></body>
</html>`;
}
