export interface BillingPageAddresses {
  readonly script: string;
  readonly style: string;
  /** What the page may load from: `webview.cspSource`. */
  readonly source: string;
  /** Random text, new for each page. */
  readonly nonce: string;
}

/** The document of the billing view. It may run one script and read its style, and nothing else: no network, nothing inline. */
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
