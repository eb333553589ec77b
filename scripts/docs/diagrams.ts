/* The diagrams of docs/concepts.md, as SVG in the colors of a light and a dark page. */

interface Colors {
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly fill: string;
  readonly good: string;
  readonly bad: string;
}

const THEMES: Readonly<Record<string, Colors>> = {
  light: { text: '#1f2328', soft: '#59636e', line: '#59636e', fill: '#f6f8fa', good: '#1a7f37', bad: '#cf222e' },
  dark: { text: '#f0f6fc', soft: '#9198a1', line: '#9198a1', fill: '#151b23', good: '#3fb950', bad: '#f85149' },
};

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly title: string;
  readonly lines?: readonly string[];
  readonly color?: 'good' | 'bad';
}

const LINE_HEIGHT = 18;

/** Draws the parts of a diagram in the colors of one theme. */
class Drawing {
  readonly #colors: Colors;

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  box({ x, y, width, title, lines = [], color }: Box): string {
    const stroke = color === undefined ? this.#colors.line : this.#colors[color];
    const height = 32 + lines.length * LINE_HEIGHT;
    const middle = x + width / 2;
    const details = lines.map((line, index) => this.text(line, middle, y + 40 + index * LINE_HEIGHT));
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${this.#colors.fill}" stroke="${stroke}"/>
<text x="${middle}" y="${y + 21}" font-weight="600" text-anchor="middle" fill="${this.#colors.text}">${title}</text>
${details.join('\n')}`;
  }

  text(text: string, x: number, y: number): string {
    return `<text x="${x}" y="${y}" font-size="12" text-anchor="middle" fill="${this.#colors.soft}">${text}</text>`;
  }

  /** Draws an arrow along the points, such as `10,20 10,40`. */
  arrow(points: string): string {
    return `<polyline points="${points}" fill="none" stroke="${this.#colors.line}" stroke-width="1.5" marker-end="url(#tip)"/>`;
  }

  page(width: number, height: number, title: string, parts: readonly string[]): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" font-size="14">
<title>${title}</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="${this.#colors.line}"/></marker></defs>
${parts.join('\n')}
</svg>
`;
  }
}

function jobLife(colors: Colors): string {
  const draw = new Drawing(colors);
  return draw.page(800, 290, 'The life of a job', [
    draw.box({ x: 10, y: 70, width: 110, title: 'Your request', lines: ['run, runsync'] }),
    draw.arrow('120,95 176,95'),
    draw.box({
      x: 180,
      y: 70,
      width: 170,
      title: 'IN_QUEUE',
      lines: ['waits for a worker,', 'perhaps for its cold start', '= delayTime'],
    }),
    draw.arrow('350,95 426,95'),
    draw.text('taken', 388, 88),
    draw.box({ x: 430, y: 70, width: 170, title: 'IN_PROGRESS', lines: ['runs on a worker', '= executionTime'] }),
    draw.arrow('515,70 515,40 265,40 265,66'),
    draw.text('the worker is lost: again, at most twice', 390, 32),
    draw.box({ x: 660, y: 20, width: 130, title: 'COMPLETED', color: 'good', lines: ['output'] }),
    draw.box({ x: 660, y: 85, width: 130, title: 'FAILED', color: 'bad', lines: ['error'] }),
    draw.box({ x: 660, y: 150, width: 130, title: 'TIMED_OUT', color: 'bad', lines: ['timeout or ttl'] }),
    draw.box({ x: 660, y: 215, width: 130, title: 'CANCELLED', lines: ['by you'] }),
    draw.arrow('600,95 630,95 630,45 656,45'),
    draw.arrow('600,110 656,110'),
    draw.arrow('600,120 630,120 630,175 656,175'),
    draw.arrow('570,138 570,240 656,240'),
    draw.arrow('240,156 240,250 656,250'),
    draw.arrow('290,156 290,190 656,190'),
  ]);
}

function workerPlaces(colors: Colors): string {
  const draw = new Drawing(colors);
  return draw.page(800, 270, 'Where a worker runs', [
    draw.box({ x: 290, y: 10, width: 220, title: 'Local platform', lines: ['queue, logs, bills, prices'] }),
    draw.arrow('400,60 400,80 130,80 130,106'),
    draw.arrow('400,60 400,106'),
    draw.arrow('400,80 670,80 670,106'),
    draw.text('x-local, or process:FOLDER', 215, 73),
    draw.text('an image', 440, 100),
    draw.text('--runtime kubernetes', 590, 73),
    draw.box({
      x: 10,
      y: 110,
      width: 240,
      title: 'Process',
      lines: ['on your machine, as you', 'starts in milliseconds', 'can be debugged'],
    }),
    draw.box({
      x: 280,
      y: 110,
      width: 240,
      title: 'Container',
      lines: ['Docker or Podman', 'limits, volumes, NVIDIA GPUs', 'can outlive the platform'],
    }),
    draw.box({
      x: 550,
      y: 110,
      width: 240,
      title: 'Pod',
      lines: ['of a Kubernetes cluster', 'placed by its scheduler', 'for one person or a team'],
    }),
    draw.arrow('130,196 130,226 400,226 400,240'),
    draw.arrow('670,196 670,226 400,226 400,240'),
    draw.arrow('400,196 400,240'),
    draw.text('the same worker code, worker protocol, and environment variables', 400, 260),
  ]);
}

/** Returns the SVG files by their paths in the repository. */
export function diagrams(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [theme, colors] of Object.entries(THEMES)) {
    files.set(`docs/pictures/job-life-${theme}.svg`, jobLife(colors));
    files.set(`docs/pictures/worker-places-${theme}.svg`, workerPlaces(colors));
  }
  return files;
}
