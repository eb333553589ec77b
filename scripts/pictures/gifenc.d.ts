/** The parts of gifenc that the animation uses. The package has no types. */
declare module 'gifenc' {
  type Palette = readonly (readonly number[])[];

  interface FrameOptions {
    readonly palette: Palette;
    /** In ms. */
    readonly delay: number;
  }

  interface Encoder {
    writeFrame(indexes: Uint8Array, width: number, height: number, options: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array;
  }

  const gifenc: {
    GIFEncoder: () => Encoder;
    /** `rgba` has four bytes per pixel. */
    quantize: (rgba: Uint8Array, maxColors: number, options: { readonly format: 'rgb565' }) => number[][];
    applyPalette: (rgba: Uint8Array, palette: Palette, format: 'rgb565') => Uint8Array;
  };
  export default gifenc;
}
